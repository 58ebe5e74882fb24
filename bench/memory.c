// Copying, comparing and getting memory, for what bench/dist links with musl. Calls of memcpy come to __wrap_memcpy by the
// linker's --wrap. Compiled with TEST it holds every function against the plainest one there is.
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#define LOOSE __attribute__((aligned(1), may_alias))
typedef uint16_t LOOSE u16;
typedef uint32_t LOOSE u32;
typedef uint64_t LOOSE u64;
typedef uint64_t u128 __attribute__((vector_size(16), aligned(1), may_alias));

// musl's own copies and compares byte by byte up to the next word, which is a tenth of the time in which a chart is
// rendered. Here short pieces are read whole before anything is written, in two halves that overlap in the middle; so they
// may overlap each other too.
#define HALVES(type)                                            \
  do {                                                          \
    type first = *(const type *)from;                           \
    type last = *(const type *)(from + size - sizeof(type));    \
    *(type *)to = first;                                        \
    *(type *)(to + size - sizeof(type)) = last;                 \
  } while (0)

void *__wrap_memmove(void *into, const void *out, size_t size) {
  unsigned char *to = into;
  const unsigned char *from = out;
  if (size <= 16) {
    if (size >= 8) {
      HALVES(u64);
    } else if (size >= 4) {
      HALVES(u32);
    } else if (size >= 2) {
      HALVES(u16);
    } else if (size) {
      *to = *from;
    }
    return into;
  }
  if (size <= 32) {
    HALVES(u128);
    return into;
  }
  if (size <= 64) {
    const u128 *start = (const u128 *)from, *end = (const u128 *)(from + size);
    u128 a = start[0], b = start[1], c = end[-2], d = end[-1];
    u128 *head = (u128 *)to, *tail = (u128 *)(to + size);
    head[0] = a, head[1] = b, tail[-2] = c, tail[-1] = d;
    return into;
  }
  if ((uintptr_t)to - (uintptr_t)from >= size) { // forwards
    const u128 *end = (const u128 *)(from + size);
    u128 c = end[-2], d = end[-1];
    u128 *tail = (u128 *)(to + size);
    for (size_t at = 0; at + 32 < size; at += 32) {
      const u128 *source = (const u128 *)(from + at);
      u128 a = source[0], b = source[1];
      u128 *target = (u128 *)(to + at);
      target[0] = a, target[1] = b;
    }
    tail[-2] = c, tail[-1] = d;
    return into;
  }
  const u128 *start = (const u128 *)from;
  u128 a = start[0], b = start[1];
  for (size_t left = size; left > 32; left -= 32) {
    const u128 *source = (const u128 *)(from + left);
    u128 c = source[-2], d = source[-1];
    u128 *target = (u128 *)(to + left);
    target[-2] = c, target[-1] = d;
  }
  u128 *head = (u128 *)to;
  head[0] = a, head[1] = b;
  return into;
}

void *__wrap_memcpy(void *restrict into, const void *restrict out, size_t size) __attribute__((alias("__wrap_memmove")));

int __wrap_memcmp(const void *left, const void *right, size_t size) {
  const unsigned char *a = left, *b = right;
  for (; size >= 8 && *(const u64 *)a == *(const u64 *)b; size -= 8) a += 8, b += 8;
  for (; size && *a == *b; size--) a++, b++;
  return size ? *a - *b : 0;
}

int __wrap_bcmp(const void *left, const void *right, size_t size) __attribute__((alias("__wrap_memcmp")));

#define ARENA ((size_t)1 << 30) // what the allocator asks the system for
#define FIRST ((size_t)512 << 10) // what every chart needs of it
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

// The first memory of the allocator comes at once: page by page, each costs a fault. Large pages would cost less than the
// small ones of a large chart, but clearing one takes longer than a small chart.
void *__real_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file, off_t offset) {
  void *memory = __real_mmap(at, size, protection, flags, file, offset);
  if (size >= ARENA && (flags & MAP_ANONYMOUS) && memory != MAP_FAILED) madvise(memory, FIRST, MADV_POPULATE_WRITE);
  return memory;
}

#ifdef TEST
#include <stdio.h>

static int sign(int value) { return (value > 0) - (value < 0); }

int main(void) {
  static unsigned char buffer[1024], wanted[1024];
  for (size_t size = 0; size < 300; size++) {
    for (size_t from = 100; from < 140; from++) {
      for (size_t to = 60; to < 480; to += 1 + (to > 150)) {
        for (size_t i = 0; i < sizeof buffer; i++) buffer[i] = wanted[i] = (unsigned char)(i * 7 + i / 256);
        for (size_t i = 0; i < size; i++) wanted[to + i] = (unsigned char)((from + i) * 7 + (from + i) / 256);
        if (__wrap_memmove(buffer + to, buffer + from, size) != buffer + to) return printf("what is returned\n"), 1;
        for (size_t i = 0; i < sizeof buffer; i++)
          if (buffer[i] != wanted[i]) return printf("%zu bytes from %zu to %zu: %zu\n", size, from, to, i), 1;
      }
    }
  }
  for (size_t size = 0; size < 100; size++) {
    for (size_t at = 0; at <= size; at++) {
      for (size_t i = 0; i < size; i++) buffer[i] = wanted[i] = (unsigned char)(i * 31 + 128);
      if (at < size) buffer[at] ^= 0x80;
      int expected = at < size ? sign(buffer[at] - wanted[at]) : 0;
      if (sign(__wrap_memcmp(buffer, wanted, size)) != expected) return printf("%zu compared, %zu differs\n", size, at), 1;
    }
  }
  return 0;
}
#endif
