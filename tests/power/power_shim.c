/* Preloaded into a program under test, it notes how much of each file a power cut would leave: of
 * every fsync and fdatasync that succeeded, a line "device inode birth size" is appended to the
 * file that CONTENTSEEN_POWER_JOURNAL names. What was written later is what the test then cuts
 * off. An inode is used again by another file, which its birth tells; 0.000000000 where nobody
 * knows it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

typedef int (*sync_function)(int);

static int note(const char* name, int file) {
  sync_function real = (sync_function)dlsym(RTLD_NEXT, name);
  struct stat before;
  struct statx birth = {0};
  /* The size before: what another thread appends meanwhile need not be on the disk. */
  const int known = fstat(file, &before) == 0 && S_ISREG(before.st_mode);
  if (statx(file, "", AT_EMPTY_PATH, STATX_BTIME, &birth) != 0) birth.stx_mask = 0;
  const int result = real(file);
  const char* path = getenv("CONTENTSEEN_POWER_JOURNAL");
  if (result != 0 || !known || path == NULL) return result;
  const int journal = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (journal < 0) abort();
  char line[128];
  const int born = (birth.stx_mask & STATX_BTIME) != 0;
  const int length =
      snprintf(line, sizeof line, "%llu %llu %lld.%09u %lld\n", (unsigned long long)before.st_dev,
               (unsigned long long)before.st_ino, born ? (long long)birth.stx_btime.tv_sec : 0,
               born ? birth.stx_btime.tv_nsec : 0, (long long)before.st_size);
  if (write(journal, line, (size_t)length) != length) abort();
  close(journal);
  return result;
}

int fsync(int file) { return note("fsync", file); }
int fdatasync(int file) { return note("fdatasync", file); }
