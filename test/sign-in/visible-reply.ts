/** The headers that differ between any two replies. */
const OF_EACH_REQUEST = [
  ...['date', 'x-request-id'],
  ...['ratelimit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
];

/** Every part of a reply that could reveal information: status, headers and body. */
export async function visibleReply(sent: Promise<Response>) {
  const reply = await sent;
  const headers = Object.fromEntries(reply.headers);
  for (const name of OF_EACH_REQUEST) delete headers[name];
  return { status: reply.status, headers, body: await reply.json() };
}
