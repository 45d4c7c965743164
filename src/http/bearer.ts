/** Who may read: whoever shows the token. */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Answer, errorAnswer } from './answer.js';

/** Whether the request shows the token; without one everybody may read. Takes equally long for every wrong token. */
export function createBearerCheck(token: string | undefined): (request: IncomingMessage) => boolean {
  if (token === undefined) return () => true;
  const expected = digest(token);
  return ({ headers }) => {
    const [, shown = ''] = /^bearer +(\S+) *$/i.exec(headers.authorization ?? '') ?? [];
    return timingSafeEqual(digest(shown), expected);
  };
}

export function unauthorized(request: IncomingMessage): Answer {
  const wrong = request.headers.authorization !== undefined;
  return errorAnswer(
    401,
    wrong ? 'the token is not the right one' : 'a token is needed',
    'send the header Authorization: Bearer TOKEN; the token is what the service was configured with',
    { 'www-authenticate': `Bearer realm="skewscope"${wrong ? ', error="invalid_token"' : ''}` },
  );
}

/** Of one length, so that nothing is told of the token's. */
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
