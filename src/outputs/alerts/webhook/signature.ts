/** Signs webhooks as standardwebhooks.com describes, so that receivers can verify them with the libraries there are. */
import { createHmac } from 'node:crypto';

/** Headers for one attempt; `secret` is the key itself, or `whsec_` and the key in base64. */
export function signatureHeaders(secret: string, id: string, body: string, nowMs: number): Record<string, string> {
  const timestamp = String(Math.floor(nowMs / 1000));
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret);
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': `v1,${signature}` };
}
