# What the harness builds in a copy of the sources: one shared library, so that a
# bug costs compiling what includes the changed file and one link, and the tests
# linked to whichever libftx.so the loader finds.
CC11 ?= cc -std=c11 -D_POSIX_C_SOURCE=200809L -fno-math-errno -Itangled
BUILD = $(CC11) -DREAL=$(REAL) -O1 -g0 -fPIC -Werror=incompatible-pointer-types \
        -Werror=int-conversion -Werror=implicit-function-declaration
OTHERS = tangled/cli/main.c tangled/course/grade.c tangled/course/contain.c
NO_TESTS = $(wildcard $(addsuffix /*.c, $(addprefix tests/, bench data fuzz mutants oracle)))
TESTS = $(filter-out $(NO_TESTS), $(wildcard tests/*.c tests/*/*.c))
LIBRARY = $(filter-out $(OTHERS), $(wildcard tangled/*.c tangled/*/*.c))

RELEASED = $(wildcard tests/data/released/*/config.json tests/data/released/*/*/config.json)

all: lib/libftx.so $(TESTS:%.c=bin/%) $(RELEASED:tests/data/%/config.json=build/%.ftx)
build/%.ftx:
	@mkdir -p $(@D)
	doc/released.py import tests/data/$* $@
lib/libftx.so: $(LIBRARY:%.c=objects/%.o)
	@mkdir -p $(@D)
	$(BUILD) -shared -o $@ $^ -pthread -lm
objects/tests/%.o: BUILD += -O0 -Itests/tools -Itests -Itests/data
objects/%.o: %.c
	@mkdir -p $(@D)
	$(BUILD) -MMD -c -o $@ $<
bin/%: objects/%.o | lib/libftx.so
	@mkdir -p $(@D)
	$(BUILD) -o $@ $< -Llib -lftx -lcmocka -pthread -lm
.SECONDARY:
-include $(wildcard objects/*/*.d objects/*/*/*.d)
