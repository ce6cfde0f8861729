/*
 * Preloaded into a service: fails or delays its reads, writes and fsyncs below one folder, tears its writes,
 * and records the writes, fsyncs, truncations, renames and removals there.
 *
 *   FAULTY_FOLDER   the folder, an absolute path
 *   FAULTY_RECORD   the file to append the record to; nothing is recorded without it
 *   FAULTY_CONTROL  a file with at most one fault, read at every operation:
 *                   "OPERATION ACTION NUMBER SUFFIX", such as "fsync fail 5 production.db-wal"
 *                   OPERATION  read (of a database), write, fsync, or any of the last two
 *                   ACTION     fail (NUMBER is the errno), tear (writes half, then fails with this
 *                              errno), delay (NUMBER is in ms)
 *                   SUFFIX     of the paths that the fault applies to; "*" for all
 *
 * The runtime writes small files with system calls that cannot be intercepted: the record has their content
 * at the time of an fsync or a rename, and their writes cannot be made to fail.
 *
 * An entry of the record is a line "KIND PATH_LENGTH OFFSET DATA_LENGTH", the path and the data.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t recording = PTHREAD_MUTEX_INITIALIZER;

static int ends_with(const char *path, const char *end) {
  size_t whole = strlen(path), length = strlen(end);
  return whole >= length && strcmp(path + whole - length, end) == 0;
}

static int is_ours(const char *path) {
  const char *folder = getenv("FAULTY_FOLDER");
  size_t length = folder ? strlen(folder) : 0;
  if (length == 0 || strncmp(path, folder, length) != 0) return 0;
  if (path[length] != '/' && path[length] != '\0') return 0;
  /* Shared memory and locks are not used after a power cut. */
  return !ends_with(path, "-shm") && !ends_with(path, ".lock");
}

/* The path of a descriptor below the folder; 0 for other descriptors. */
static int path_of(int fd, char *path) {
  char link[64];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = syscall(SYS_readlink, link, path, PATH_MAX - 1);
  if (length <= 0) return 0;
  path[length] = '\0';
  return is_ours(path);
}

static void append(int fd, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t done = syscall(SYS_write, fd, bytes, length);
    if (done <= 0) abort();
    bytes += done;
    length -= done;
  }
}

static void record(char kind, const char *path, long offset, const void *data, size_t length) {
  static int fd = -1;
  const char *name = getenv("FAULTY_RECORD");
  int before = errno;
  if (!name) return;
  pthread_mutex_lock(&recording);
  if (fd < 0) fd = syscall(SYS_openat, AT_FDCWD, name, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  char head[96];
  int size = snprintf(head, sizeof head, "%c %zu %ld %zu\n", kind, strlen(path), offset, length);
  /* One write for each entry, so that a reader of the file never reads a partial entry. */
  char *entry = malloc(size + strlen(path) + length);
  memcpy(entry, head, size);
  memcpy(entry + size, path, strlen(path));
  if (length > 0) memcpy(entry + size + strlen(path), data, length);
  append(fd, entry, size + strlen(path) + length);
  free(entry);
  pthread_mutex_unlock(&recording);
  errno = before;
}

/* Records the content of a file whose writes are not intercepted. */
static void record_content(const char *path) {
  static char content[1 << 16];
  if (ends_with(path, ".db") || ends_with(path, "-wal") || ends_with(path, "-journal")) return;
  int fd = syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return;
  ssize_t length = syscall(SYS_pread64, fd, content, sizeof content, 0);
  syscall(SYS_close, fd);
  if (length >= 0) record('f', path, 0, content, length);
}

enum action { NONE, FAIL, TEAR };

/* Delays the operation, or returns how it fails. */
static enum action fault(const char *operation, const char *path, int *number) {
  char text[256], wanted[16], action[16], suffix[128];
  const char *control = getenv("FAULTY_CONTROL");
  if (!control) return NONE;
  int fd = syscall(SYS_openat, AT_FDCWD, control, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return NONE;
  ssize_t length = syscall(SYS_read, fd, text, sizeof text - 1);
  syscall(SYS_close, fd);
  if (length <= 0) return NONE;
  text[length] = '\0';
  if (sscanf(text, "%15s %15s %d %127s", wanted, action, number, suffix) != 4) return NONE;
  int is_any = strcmp(wanted, "any") == 0 && strcmp(operation, "read") != 0;
  if (!is_any && strcmp(wanted, operation) != 0) return NONE;
  if (strcmp(suffix, "*") != 0 && !ends_with(path, suffix)) return NONE;
  if (strcmp(action, "delay") == 0) {
    struct timespec pause = {*number / 1000, (*number % 1000) * 1000000L};
    nanosleep(&pause, NULL);
    return NONE;
  }
  return strcmp(action, "tear") == 0 ? TEAR : FAIL;
}

ssize_t pread64(int fd, void *data, size_t length, off64_t offset) {
  char path[PATH_MAX];
  int number = 0;
  if (path_of(fd, path) && fault("read", path, &number) != NONE) return errno = number, -1;
  return syscall(SYS_pread64, fd, data, length, offset);
}

ssize_t pread(int fd, void *data, size_t length, off_t offset) {
  return pread64(fd, data, length, offset);
}

ssize_t pwrite64(int fd, const void *data, size_t length, off64_t offset) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return syscall(SYS_pwrite64, fd, data, length, offset);
  int number = 0;
  enum action action = fault("write", path, &number);
  if (action == TEAR) {
    ssize_t torn = syscall(SYS_pwrite64, fd, data, length / 2, offset);
    if (torn > 0) record('w', path, offset, data, torn);
  }
  if (action != NONE) return errno = number, -1;
  ssize_t done = syscall(SYS_pwrite64, fd, data, length, offset);
  if (done > 0) record('w', path, offset, data, done);
  return done;
}

ssize_t pwrite(int fd, const void *data, size_t length, off_t offset) {
  return pwrite64(fd, data, length, offset);
}

ssize_t write(int fd, const void *data, size_t length) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return syscall(SYS_write, fd, data, length);
  int number = 0;
  if (fault("write", path, &number) != NONE) return errno = number, -1;
  ssize_t done = syscall(SYS_write, fd, data, length);
  if (done > 0) record('w', path, syscall(SYS_lseek, fd, 0, SEEK_CUR) - done, data, done);
  return done;
}

static int synchronize(long call, int fd) {
  char path[PATH_MAX];
  if (!path_of(fd, path)) return syscall(call, fd);
  int number = 0;
  if (fault("fsync", path, &number) != NONE) return errno = number, -1;
  record_content(path);
  int result = syscall(call, fd);
  if (result == 0) record('s', path, 0, NULL, 0);
  return result;
}

int fsync(int fd) { return synchronize(SYS_fsync, fd); }

int fdatasync(int fd) { return synchronize(SYS_fdatasync, fd); }

int ftruncate64(int fd, off64_t length) {
  char path[PATH_MAX];
  int result = syscall(SYS_ftruncate, fd, length);
  if (result == 0 && path_of(fd, path)) record('t', path, length, NULL, 0);
  return result;
}

int ftruncate(int fd, off_t length) { return ftruncate64(fd, length); }

int rename(const char *from, const char *to) {
  if (is_ours(from)) record_content(from);
  int result = syscall(SYS_rename, from, to);
  if (result == 0 && is_ours(from)) record('r', from, 0, to, strlen(to));
  return result;
}

int link(const char *from, const char *to) {
  int result = syscall(SYS_link, from, to);
  if (result == 0 && is_ours(from)) record('l', from, 0, to, strlen(to));
  return result;
}

int unlink(const char *path) {
  int result = syscall(SYS_unlink, path);
  if (result == 0 && is_ours(path)) record('u', path, 0, NULL, 0);
  return result;
}
