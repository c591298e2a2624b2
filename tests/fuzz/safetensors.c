/* Whatever its bytes are, a file of tensors is read, or refused with one
   sentence; and all numbers that were read are in it. (make fuzz
   WHAT=safetensors) */
#include "fuzz.h"
#include "hub/hub.h"

typedef struct {
    Arena *arena;
    char name[60];
    Tensors in;
} Filed;

static void read_it(Error *f, void *data)
{
    Filed *filed = data;
    filed->in = tensors_of_file(filed->arena, filed->name, f);
}

static void use(const Tensors *in)
{
    volatile double sum = 0;
    for (int i = 0; i < in->n; i++) {
        const Tensor *t = &in->tensor[i];
        demand(tensor_named(in, t->name) != NULL, "it is not found",
               t->name);
        for (size_t k = 0; k < t->count && t->type != TENSOR_OTHER; k++)
            sum = sum + tensor_number(t, k);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
    Filed filed = { .arena = arena_new() };
    Error f = { .sheet = "test" };
    snprintf(filed.name, sizeof filed.name, "build/fuzz/tensors.%d",
             (int)getpid());
    file_of_bytes(filed.name, bytes, n);
    if (try_work(&f, read_it, &filed)) {
        use(&filed.in);
    } else {
        is_sentence(f.sentence);
    }
    arena_free(filed.arena);
    remove(filed.name);
    return 0;
}
