// The smallest Bun.serve there is, for its start: bun hello-world.mjs PORT
Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.argv[2]),
  fetch: () => new Response('Hello, world!'),
});
