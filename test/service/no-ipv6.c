/* Preloaded into a service: the machine has no IPv6, as with the kernel's parameter ipv6.disable=1. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/socket.h>

int socket(int domain, int type, int protocol) {
  static int (*original)(int, int, int);
  if (!original) original = (int (*)(int, int, int))dlsym(RTLD_NEXT, "socket");
  if (domain == AF_INET6) {
    errno = EAFNOSUPPORT;
    return -1;
  }
  return original(domain, type, protocol);
}
