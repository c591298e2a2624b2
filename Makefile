# ftx.   make: the program, from tangled/ with nothing but a C compiler.
#        make all: install what is missing, tangle, build, weave, show an example.
#        make test: install cmocka if it is missing, run every test.
CFLAGS ?= -O3 -g
REAL   ?= double
OUT    ?= build/$(REAL)
SECONDS ?= 60
WARN    = -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes
POSIX   = -D_POSIX_C_SOURCE=200809L
CC11    = $(CC) -std=c11 -fno-math-errno $(CFLAGS) $(WARN) -DREAL=$(REAL) -Itangled

SLOWEST = tangled/library/product.c
GRADER = tangled/course/grade.c tangled/course/contain.c
SOURCES = $(SLOWEST) $(filter-out $(SLOWEST) $(GRADER), $(wildcard tangled/*.c tangled/*/*.c))
OBJECTS = $(SOURCES:tangled/%.c=$(OUT)/%.o)
LIBRARY = $(OUT)/ftx.a
ROOMS   = library practice text cli sheet check show course model tools
LONGEST = tests/course/trials tests/check/slips_models tests/course/exercise tests/check/slips tests/check/mistyped
TESTS   = $(LONGEST) $(filter-out $(LONGEST), $(basename $(wildcard tests/*.c $(ROOMS:%=tests/%/*.c))))
RELEASED = $(patsubst tests/data/%/config.json, build/%.ftx, $(wildcard tests/data/released/*/config.json tests/data/released/*/*/config.json))
CORES  := $(shell getconf _NPROCESSORS_ONLN 2> /dev/null || echo 2)
ATONCE  = $(if $(findstring -j, $(MAKEFLAGS)),, -j$(CORES))
EXAMPLE = tests/data/worked/alg04.sheet
PARTS   = product train judge growth gpt2
NEED   ?= book
PREFIX ?= /usr/local
VERSION = 1.0
DIST    = build/ftx-$(VERSION)

ftx:
	@$(MAKE) --no-print-directory $(ATONCE) build/ftx
all:            # the program is built while what is missing comes
	@echo 'make all: what is missing, and the program'
	@$(MAKE) -s $(ATONCE) deps ftx
	@echo 'make all: $(OUT)/ftx is built; the webs are tangled'
	@$(MAKE) -s tangle
	@$(MAKE) -s $(ATONCE) book
	build/ftx show $(EXAMPLE)
build/ftx: build/double/ftx
	cp $< $@
$(OUT)/ftx: $(OBJECTS)
	$(CC11) -pthread -o $@ $^ -lm
$(OUT)/grade: $(GRADER) tangled/course/contain.h | $(OUT)
	$(CC11) -o $@ $(GRADER) -lm
$(OUT)/%.o: tangled/%.c
	@mkdir -p $(@D)
	$(CC11) -MMD -MP -c -o $@ $<
$(LIBRARY): $(filter-out $(OUT)/cli/main.o, $(OBJECTS))
	rm -f $@
	$(AR) rcs $@ $^
$(OUT)/tests/%: tests/%.c tests/tools/check.h $(LIBRARY)
	@mkdir -p $(@D)
	$(CC11) $(POSIX) -Wno-unused-parameter -Itests/tools -Itests -Itests/data -O0 -MMD -MP -o $@ $< $(LIBRARY) -pthread -lcmocka -lm
$(OUT)/fuzz_%: tests/fuzz/%.c $(LIBRARY)
	$(CC11) $(POSIX) -Itests/tools -fsanitize=fuzzer -MMD -MP -o $@ $< $(LIBRARY) -pthread -lm
$(OUT):
	mkdir -p $@

deps:           # what tangling and weaving need; NEED=tangle: no weaving
	doc/deps $(NEED)
tangle:         # both volumes to tangled/
	doc/tangle ftx.nw tangled
	doc/tangle doc/program tangled
book: ftx       # both volumes to doc/ftx.pdf, doc/ftx.html and doc/program.html
	doc/weave ftx.nw build/ftx
	doc/weave doc/program build/ftx
page: tangle    # doc/ftx.js, the program in the page; needs emscripten
	doc/page
numbers: ftx    # doc/numbers.ftx, the model in the page: trained for a minute, and measured
	$(MAKE) -s REAL=float build/float/ftx
	doc/train_numbers.py
program.pdf: ftx # volume 2 to doc/program.pdf
	doc/weave --pdf doc/program build/ftx
epub: ftx       # volume 1 to doc/ftx.epub, checked where epubcheck is installed; needs python3
	doc/weave --epub ftx.nw build/ftx

test:           # every test, in double and in single precision
	doc/deps tests
	awk -f tests/tools/listings.awk tangled/alg[0-9]*.c
	@tests/tools/budget.sh
	@$(MAKE) -s $(ATONCE) double float build/vectors $(RELEASED)
	@cat build/vectors build/double/house
	@tests/tools/run $(foreach test, $(TESTS), build/double/$(test) build/float/$(test))
double float:   # all that the tests of a precision need
	$(MAKE) REAL=$@ OUT=build/$@ tests $(filter build/$@/house, build/double/house)
build/vectors: tests/tools/vectors.sh $(wildcard tangled/*.[ch])
	@mkdir -p $(@D)
	$< > $@ || { cat $@; exit 1; }
build/released/%.ftx: tests/data/released/%/config.json doc/released.py
	@mkdir -p $(@D)
	doc/released.py import $(<D) $@ --replace > /dev/null
$(OUT)/house: tests/tools/house.sh $(OBJECTS) $(wildcard tangled/*.[ch] tangled/*/*.[ch])
	$< $(OUT) > $@ || { cat $@; exit 1; }
check:          # the tests of one precision, one compiler
	$(MAKE) -s $(ATONCE) tests $(RELEASED)
	@tests/tools/run $(TESTS:%=$(OUT)/%)
tests: $(TESTS:%=$(OUT)/%) $(OUT)/cli/main.o
soak:           # SECONDS of tests in full amounts, with ever new seeds
	$(MAKE) -s $(ATONCE) tests $(RELEASED)
	@tests/tools/soak.sh $(SECONDS) $(TESTS:%=$(OUT)/%)
mutants:        # planted bugs must be noticed: KIND=named, FILES="alg matrix", SECONDS=600, SHARE=4, LEAST=80
	CC11='$(CC11) $(POSIX) -DFAST=' tests/mutants/mutate.py $(or $(KIND), both) $(FILES) --real $(REAL) \
	    $(SHARE:%=--share %) $(LEAST:%=--least %) \
	    $(if $(filter-out file, $(origin SECONDS)), --seconds $(SECONDS))
fuzz:           # SECONDS of what a machine makes up; WHAT=model or tokenizer; needs clang
	tests/fuzz/fuzz.sh "$(MAKE)" $(SECONDS) $(WHAT)
machines: ftx   # built and run for other machines; .ci/run names the packages that it takes
	tests/tools/machines.sh
bench:          # how fast? a part of it: make bench judge, or product, train, growth, gpt2
	tests/bench/bench.sh $(filter $(PARTS), $(MAKECMDGOALS))
$(PARTS): bench ; @:
quality:        # what models learn in five minutes each: tests/bench/quality.txt
	$(MAKE) -s REAL=float build/float/ftx
	tests/bench/quality.sh
lab:            # build/lab/: N="4 5", HOLE=step, body, file or python, SEED=1, VARIANT=7
	@echo 'make lab: the program and the grader'
	@$(MAKE) -s $(ATONCE) deps ftx $(OUT)/grade $(if $(filter no, $(HANDOUT)), NEED=tangle)
	@HOLE=$(HOLE) SEED=$(SEED) VARIANT=$(VARIANT) OBJECTS=$(OUT) doc/lab/make build/ftx $(N)
gradescope: ftx $(OUT)/grade # build/gradescope.zip: N="4 5", a secret SEED
	doc/deps tangle
	HOLE=$(HOLE) SEED=$(SEED) VARIANT=$(VARIANT) OBJECTS=$(OUT) doc/lab/zip build/ftx $(N)
labtest: $(OUT)/ftx $(OUT)/grade    # the kit of labs proves itself
	tests/course/lab.sh $(OUT)/ftx $(OUT)/grade $(OUT)
man: ftx        # build/man/: a manual page for ftx and for each command; needs pandoc
	rm -rf build/man
	doc/man build/ftx build/man
install: ftx    # below PREFIX, and DESTDIR before it; with manual pages where pandoc is at hand
	mkdir -p $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/bash-completion/completions
	cp build/ftx $(DESTDIR)$(PREFIX)/bin/ftx
	cp doc/completion.bash $(DESTDIR)$(PREFIX)/share/bash-completion/completions/ftx
	if command -v pandoc > /dev/null; then $(MAKE) -s man && mkdir -p $(DESTDIR)$(PREFIX)/share/man/man1 && \
	    cp build/man/*.gz $(DESTDIR)$(PREFIX)/share/man/man1/; fi
dist:           # build/ftx-1.0.tar.gz: builds with cc and make alone
	rm -rf $(DIST) $(DIST).tar.gz
	mkdir -p $(DIST)/doc $(DIST)/tests/data
	cp -r tangled Makefile README.md LICENSE $(DIST)
	cp doc/man doc/completion.bash doc/released.py $(DIST)/doc
	cp -r tests/data/worked $(DIST)/tests/data
	tar -C build --sort=name --owner=0 --group=0 --mtime=@0 -cf - ftx-$(VERSION) | gzip -9n > $(DIST).tar.gz
	rm -rf $(DIST)
debug:          # build/debug/build/ftx, whose debugger shows the webs
	doc/tangle -L ftx.nw build/debug/tangled
	doc/tangle -L doc/program build/debug/tangled
	$(MAKE) $(ATONCE) -C build/debug -f ../../Makefile build/ftx CFLAGS='-O0 -g'
clean:
	rm -rf build

.PHONY: ftx all deps tangle book page numbers program.pdf epub test double float check tests soak mutants fuzz machines bench $(PARTS) quality lab gradescope labtest man install dist debug clean
.DELETE_ON_ERROR:
-include $(wildcard $(OUT)/*.d $(OUT)/*/*.d $(OUT)/*/*/*.d)
