// Command shop has three pages that ask a database for goods. One of them can be made to ask for anything: its text of a query
// is made of what the visitor typed. The other two are safe, though they go through the same functions.
package main

import (
	"database/sql"
	"fmt"
	"log"
	"net/http"
	"strconv"
)

// query is put together in several steps.
type query struct {
	text string
	args []any
}

func (q *query) where(column, value string) *query {
	q.text += fmt.Sprintf(" WHERE %s = '%s'", column, value)
	return q
}

func (q *query) with(arg any) *query {
	q.text += " WHERE name = ?"
	q.args = append(q.args, arg)
	return q
}

type shop struct{ db *sql.DB }

func (s *shop) show(w http.ResponseWriter, q *query) {
	rows, err := s.db.Query(q.text, q.args...)
	if err != nil {
		http.Error(w, "no goods today", http.StatusInternalServerError)
		return
	}
	defer rows.Close()
	for rows.Next() {
		fmt.Fprintln(w, "one more")
	}
}

// byName believes what it is told.
func (s *shop) byName(w http.ResponseWriter, r *http.Request) {
	q := &query{text: "SELECT id FROM goods"}
	s.show(w, q.where("name", r.FormValue("name")))
}

// byID asks for a number.
func (s *shop) byID(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(r.FormValue("id"))
	if err != nil {
		http.Error(w, "which number?", http.StatusBadRequest)
		return
	}
	q := &query{text: "SELECT id FROM goods"}
	s.show(w, q.where("id", strconv.Itoa(id)))
}

// byParameter leaves the value to the database.
func (s *shop) byParameter(w http.ResponseWriter, r *http.Request) {
	q := &query{text: "SELECT id FROM goods"}
	s.show(w, q.with(r.FormValue("name")))
}

func main() {
	db, err := sql.Open("shop", "")
	if err != nil {
		log.Fatal(err)
	}
	s := &shop{db}
	http.HandleFunc("/name", s.byName)
	http.HandleFunc("/id", s.byID)
	http.HandleFunc("/parameter", s.byParameter)
	log.Fatal(http.ListenAndServe("localhost:8080", nil))
}
