# What people type. `go build ./...` and `go test ./...` are all there is to building and testing without a GPU;
# .ci/run is everything that must hold.

GOARCH ?= amd64

.PHONY: test lint golden gpu-suite
test:
	go test ./...
	for m in bench producers/*; do go -C $$m test ./... || exit 1; done

lint:
	bash .ci/install
	bash .ci/lint
	bash .ci/generated

# Rewrites the expectations in testdata, and what is generated, to what the code does now. The difference is reviewed
# like code. The packages are those whose tests have the flag -update.
golden:
	go test $$(grep -rl --include='*_test.go' 'flag.Bool("update"' . | xargs -n1 dirname | sort -u) -update
	go generate ./...
	git status --short

# What needs nothing but an NVIDIA driver, and for some parts a C compiler, nvcc, ptxas and compute-sanitizer; and the
# script that runs it. The script says what the parts are.
#	make gpu-suite && scp -r .gpu machine: && ssh machine .gpu/run.sh
#	SIM=1 .gpu/run.sh        a rehearsal without a GPU
#	make gpu-suite GAP=DIR   with the GAP benchmark suite, a clone of which is in DIR
#	make gpu-suite how=-ldflags=-s pack='gzip -1'    where it is not sent: nothing is compiled that go build has compiled
GAP ?=
how ?= -trimpath -ldflags=-s
pack ?= gzip -9
gpu = CGO_ENABLED=0 GOOS=linux GOARCH=$(GOARCH) go
gpu-suite:
	rm -rf .gpu && mkdir -p .gpu/codegen-bench .gpu/examples .gpu/waves .gpu/prim .gpu/egraph .gpu/columns
	git describe --always --dirty --exclude '*' >.gpu/commit || echo unknown >.gpu/commit
	$(gpu) test -c $(how) -o .gpu/cuda.test ./driver/cuda
	$(gpu) test -c $(how) -o .gpu/cusim.test ./internal/cusim
	$(gpu) test -c $(how) -o .gpu/ptx.test ./internal/ptx
	for p in megakernel megakernel/compact megakernel/frontiers megakernel/pipeline megakernel/queue graph/session graph/files graph/ifds; do \
		$(gpu) test -c $(how) -o .gpu/waves/$$(basename $$p).test ./$$p || exit 1; done
	$(gpu) test -c $(how) -o .gpu/prim/prim.test ./prim
	$(gpu) -C bench build $(how) -o ../.gpu/prim/compare ./prim
	cp bench/prim/reference/cub.cu .gpu/prim/
	$(gpu) test -c $(how) -o .gpu/egraph/device.test ./egraph/device
	$(gpu) -C bench build $(how) -o ../.gpu/egraph/measure ./egraph
	$(gpu) test -c $(how) -o .gpu/columns/columns.test ./internal/columns
	$(gpu) -C bench build $(how) -o ../.gpu/columns/measure ./columns
	$(pack) .gpu/ptx.test .gpu/waves/*.test .gpu/prim/prim.test .gpu/prim/compare .gpu/egraph/* .gpu/columns/* # what may be sent to a machine is bounded
	cp megakernel/testdata/search.cu .gpu/waves/
	if [ -n "$(GAP)" ]; then mkdir -p .gpu/gap && cp -r $(GAP)/src .gpu/gap/; fi
	$(gpu) -C bench build -buildvcs=auto $(how) -o ../.gpu/budget ./budget
	$(gpu) -C bench build $(how) -o ../.gpu/codegen ./codegen/compare
	$(gpu) -C bench build $(how) -o ../.gpu/tune ./codegen/tune
	$(gpu) -C bench build $(how) -o ../.gpu/cpu ./cpu
	install -m 755 driver/cuda/testdata/run.sh .gpu/run.sh
	$(gpu) build $(how) -o .gpu/vyre ./cmd/vyre
	$(gpu) build $(how) -o .gpu/cublas ./examples/cublas
	cd examples && cp --parents digests.sh */kernel.go sobel/lake.png ../.gpu/examples/
	cp bench/budget/reference/* .gpu/
	cp -r bench/codegen/run.sh bench/codegen/reference .gpu/codegen-bench/
