# The front door. `make demo` and `make test` install what is missing, build, and do the rest.
BUILD := build
MESON_FLAGS ?=
# Four hundred programs are linked, twice: by gold, which binutils brings.  (Debian's mold 1.10 is
# faster, but may place read-only data so that a program does not start.)
ifndef CC_LD
CC_LD := $(patsubst ld.%,%,$(notdir $(firstword $(shell command -v ld.gold))))
ifneq ($(CC_LD),)
export CC_LD
endif
endif

# Where a ccache stands before the compiler, it need not preprocess what it has to compile anyway.
CCACHE_DEPEND ?= 1
export CCACHE_DEPEND

.PHONY: all setup setup-build build build-tests demo demo-cluster demo-mpi cluster test check sanitize threads weather star reclaim habits images test-images bench why bench-mpi bench-pool lint format fuzz install tarball deb test-long clean

all: build

# What a build needs; all that packages.txt names.
setup-build:
	@tools/setup build

setup:
	@tools/setup build run test bench pictures

$(BUILD)/build.ninja: | setup-build
	meson setup $(BUILD) -Dtests=false $(MESON_FLAGS)

# Flags also count in a folder that was configured without them.
build: setup-build $(BUILD)/build.ninja
	$(if $(strip $(MESON_FLAGS)),meson configure $(BUILD) $(MESON_FLAGS))
	ninja -C $(BUILD)

# The same and the tests, with the libraries that only they need; a folder that was configured before
# these were there is configured again.
build-tests: setup $(BUILD)/build.ninja
	[ -d $(BUILD)/tests ] || meson setup --reconfigure $(BUILD) -Dtests=true $(MESON_FLAGS)
	$(if $(strip $(MESON_FLAGS)),meson configure $(BUILD) $(MESON_FLAGS))
	ninja -C $(BUILD)

demo: setup-build $(BUILD)/build.ninja
	ninja -C $(BUILD) loadstar apps/fibonacci
	tools/demo $(BUILD)

# A Slurm on this machine, which takes workers away from a run; as root.
demo-cluster: setup $(BUILD)/build.ninja
	ninja -C $(BUILD) loadstar
	tools/demo-cluster $(BUILD)

# A folder may have been configured before there was an MPI: it is configured anew where it has no
# module of any, and an MPI is here.
FIND_MPI = ninja -C $(BUILD) -t targets all | grep -q '^loadstar-[a-z]*\.so: ' || \
  ! { pkg-config --exists ompi-c || pkg-config --exists mpich; } || \
  meson setup --reconfigure $(BUILD) $(MESON_FLAGS)

# A real slice of a CT on 4 ranks of each MPI that is here.
demo-mpi: setup $(BUILD)/build.ninja
	$(FIND_MPI)
	ninja -C $(BUILD) apps/matched-filter \
	  $$(ninja -C $(BUILD) -t targets all | sed -n 's/^\(loadstar-[a-z]*\.so\): .*/\1/p')
	tools/demo-mpi $(BUILD)

# What takes too long for `make test`: Slurms of 32 nodes, links and controllers that are away, MPI
# jobs in each of which a process is killed.
cluster: build-tests
	status=0; for test in \
	  "test-mpi-kills $(BUILD)/apps/matched-filter . 20 openmpi recovery mpich" \
	  "test-slurm-pool $(BUILD)/loadstar --slow" \
	  "test-mpi-slurm $(BUILD) . 20 openmpi mpich"; do \
	  tests/cli/$$test; case $$? in 0) ;; 77) echo "skipped: $$test" ;; *) status=1 ;; esac; \
	done; exit $$status

# Everything: unit tests, suites, checkers, the command line, and again under the sanitizers.
test: build-tests
	tools/run-tests $(BUILD)

sanitize: build-tests
	tools/run-tests --sanitize

threads: setup
	tests/threads/run

weather: build-tests
	tests/weather/weather $(BUILD)/loadstar $(BUILD)/tests/weather/bad_disk.so --long --jobs 4 \
	  --seed $(or $(SEED),1) --seconds $$(($(or $(SECONDS_IN_ALL),3600) / 2))
	tests/weather/weather-ranks $(BUILD)/loadstar $(BUILD)/tests/weather/bad_disk.so recovery pmi2 \
	  --long --jobs 4 --seed $(or $(SEED),1) --seconds $$(($(or $(SECONDS_IN_ALL),3600) / 2)); \
	  status=$$?; [ $$status = 0 ] || [ $$status = 77 ]

# An hour of links of known rates on which workers and wires fail, by seed; as root.
star: build-tests
	tests/star/star $(BUILD)/loadstar $(BUILD)/tests/star/star_load $(BUILD)/tests/star/delayed_wire \
	  --long --jobs 4 --seed $(or $(SEED),1) --seconds $(or $(SECONDS_IN_ALL),3600); \
	  status=$$?; [ $$status = 0 ] || [ $$status = 77 ]

# What befalls workers on Slurm, for an hour, and while they thin a picture.  With SEEDS only the
# picture, so many times, each another story.
reclaim: build-tests
	tests/reclaim/reclaim $(BUILD)/apps/thinning --picture apps/thinning/letters.pbm \
	  --seed $(or $(SEED),1) $(if $(SEEDS),--seeds $(SEEDS) --seconds 10)
	$(if $(SEEDS),,tests/reclaim/reclaim $(BUILD)/loadstar --seed $(or $(SEED),1) \
	  --seconds $(or $(SECONDS_IN_ALL),3600))

# The examples of GNU parallel's own man pages through it and through `loadstar run`; some minutes.
habits: setup $(BUILD)/build.ninja
	ninja -C $(BUILD) loadstar
	tests/habits/compare $(BUILD)/loadstar

# Real slices of CTs for apps/matched_filter, from Debian packages that are not installed.
images: setup
	tools/make-images $(BUILD)/images

test-images: build-tests images
	tests/cli/test-matched $(BUILD)/apps/matched-filter . $(BUILD)/images 0

bench: build-tests
	bench/run $(BUILD)

# Loadstar next to xargs, GNU parallel, make, ninja and Slurm: writes docs/why.md.
why: $(BUILD)/build.ninja
	@tools/setup build run test bench
	ninja -C $(BUILD) loadstar
	bench/why $(BUILD) --out docs/why.md

bench-mpi: setup $(BUILD)/build.ninja
	$(FIND_MPI)
	$(MAKE) build-tests
	status=0; for bench in mpi_speed mpi_policies mpi_parameters mpi_simulated \
	  mpi_experiments; do \
	  bench/$$bench $(BUILD) || status=1; done; \
	for mpi in $$(ls $(BUILD) | sed -n 's/^loadstar-\([a-z]*\)\.so$$/\1/p'); do \
	  bench/motif_plans $(BUILD) --quick --mpi $$mpi || status=1; done; exit $$status

# The runs of a thesis on workers that come and go, beside its figures and what is expected.
bench-pool: setup $(BUILD)/build.ninja
	ninja -C $(BUILD) loadstar apps/fibonacci apps/thinning
	bench/pool_runs $(BUILD)

lint: build-tests
	tools/check-layers
	tools/check-purity $(BUILD)
	tools/check-circles $(BUILD)
	tools/check-glibc $(BUILD)/loadstar $(wildcard $(BUILD)/loadstar-*.so)
	tools/check-tidy
	tools/check-citations
	tools/check-words
	tools/check-format
	tools/check-warnings $(BUILD)

format:
	tools/check-format --fix

fuzz: setup
	tests/fuzz/run $(or $(SECONDS_EACH),60)

# What runs on other machines: an archive for any folder, without root; packages of Debian 12.
tarball: setup-build
	tools/make-tarball

deb: setup-build
	@tools/setup deb
	tools/make-deb

# All that `make test` leaves out: full counts, Slurms, and what others get, in a bare Debian 12.
test-long: build-tests
	tools/run-tests $(BUILD) --long
	$(MAKE) cluster
	@tools/setup chroot
	$(MAKE) tarball deb
	tests/chroot/try; status=$$?; [ $$status = 0 ] || [ $$status = 77 ]

install: build
	ninja -C $(BUILD) install

clean:
	rm -rf $(BUILD) build-* dist
