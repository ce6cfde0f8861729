import { rate } from './password-rating.ts';
import type { RatingReply, RatingRequest } from './password-rating-worker.ts';

/** The thread in which passwords are rated, one after the other, so that no request waits for it. */
declare const self: Worker;

self.onmessage = ({ data: { password, email } }: MessageEvent<RatingRequest>) => {
  reply({ kind: 'rated', reason: rate(password, email) });
};

function reply(message: RatingReply): void {
  self.postMessage(message);
}

reply({ kind: 'ready' });
