import type { RatingReply } from '../../src/dashboard/sign-in/password-rating-worker.ts';

/** A thread that rates each password in the way that the password names. */
declare const self: Worker;

self.onmessage = ({ data: { password } }: MessageEvent<{ password: string }>) => {
  if (password === 'fails') throw new Error('the thread has failed');
  while (password === 'never ends');
  reply({ kind: 'rated', reason: password === 'strong' ? undefined : `It is ${password}.` });
};

function reply(message: RatingReply): void {
  self.postMessage(message);
}

reply({ kind: 'ready' });
