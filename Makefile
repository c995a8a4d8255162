# What needs more than the go command. `go build ./...` and `go test ./...` are all there is
# to building and testing without a GPU.

GOARCH ?= amd64

# Test binaries that need nothing but an NVIDIA driver, and the script that runs them:
#	make gpu-suite && scp -r .gpu machine: && ssh machine .gpu/run.sh
.PHONY: gpu-suite
gpu-suite:
	rm -rf .gpu && mkdir -p .gpu
	CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go test -c -trimpath -o .gpu/cuda.test ./driver/cuda
	CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go test -c -trimpath -o .gpu/cusim.test ./driver/cuda/cusim
	install -m 755 driver/cuda/testdata/run.sh .gpu/run.sh
