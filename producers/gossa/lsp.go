package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/textproto"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// What gossa needs of the Language Server Protocol 3.17 (Microsoft, 2022): JSON-RPC 2.0, each message behind a header with its
// length.
type (
	rpcMessage struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id,omitempty"` // of requests and answers
		Method  string          `json:"method,omitempty"`
		Params  any             `json:"params,omitempty"`
		Result  any             `json:"result,omitempty"`
		Error   *rpcError       `json:"error,omitempty"`
	}
	rpcError struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	}
	lspPosition struct {
		Line      int `json:"line"`      // from 0 on
		Character int `json:"character"` // of UTF-16, from 0 on
	}
	lspRange struct {
		Start lspPosition `json:"start"`
		End   lspPosition `json:"end"`
	}
	lspLocation struct {
		URI   string   `json:"uri"`
		Range lspRange `json:"range"`
	}
	lspRelated struct {
		Location lspLocation `json:"location"`
		Message  string      `json:"message"`
	}
	lspDiagnostic struct {
		Range    lspRange          `json:"range"`
		Severity int               `json:"severity"`
		Code     string            `json:"code"`
		About    map[string]string `json:"codeDescription"`
		Source   string            `json:"source"`
		Message  string            `json:"message"`
		Related  []lspRelated      `json:"relatedInformation,omitempty"`
	}
	lspPublished struct {
		URI         string          `json:"uri"`
		Diagnostics []lspDiagnostic `json:"diagnostics"`
	}
	lspShown struct {
		Type    int    `json:"type"` // 1 is an error, 2 a warning, 3 for information
		Message string `json:"message"`
	}
)

const (
	methodNotFound = -32601
	notInitialized = -32002
	mostOfMessage  = 16 << 20 // bytes
)

// connection carries messages.
type connection struct {
	in    *bufio.Reader
	mutex sync.Mutex
	out   io.Writer
}

// read reads a message. Its Params are json.RawMessage.
//
// Errors: io.EOF at the end; a message without a length, or with one of more than 16 MiB; what is no JSON.
func (c *connection) read() (m rpcMessage, err error) {
	head, err := textproto.NewReader(c.in).ReadMIMEHeader()
	if err != nil {
		if errors.Is(err, io.EOF) && len(head) == 0 {
			return m, io.EOF
		}
		return m, fmt.Errorf("header of a message: %w", err)
	}
	n, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil || n < 0 || n > mostOfMessage {
		return m, fmt.Errorf("header of a message: Content-Length is %q, want a number up to %d", head.Get("Content-Length"), mostOfMessage)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(c.in, body); err != nil {
		return m, fmt.Errorf("a message of %d bytes: %w", n, err)
	}
	var params json.RawMessage
	m.Params = &params
	if err := json.Unmarshal(body, &m); err != nil {
		return m, fmt.Errorf("a message: %w", err)
	}
	return m, nil
}

// write writes a message, whole.
func (c *connection) write(m rpcMessage) error {
	m.Version = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	c.mutex.Lock()
	defer c.mutex.Unlock()
	_, err = fmt.Fprintf(c.out, "Content-Length: %d\r\n\r\n%s", len(body), body)
	return err
}

// uriOf is an absolute path as a URI.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // of Windows, with a drive
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
