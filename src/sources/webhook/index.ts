/** Takes audit events that kube-apiservers post themselves: an HTTP receiver for their audit webhook. */
export { openWebhook, type Webhook } from './open.js';
export {
  type DeadLetter,
  WEBHOOK_LIMITS,
  type WebhookBatch,
  type WebhookCounters,
  type WebhookLimits,
  type WebhookOptions,
  type WebhookTls,
} from './options.js';
