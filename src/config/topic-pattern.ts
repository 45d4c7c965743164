/** Patterns over Kafka topics, as the configuration file writes them. */

export const TOPIC_NAME = /^[a-zA-Z0-9._-]{1,249}$/;
const MAX_PATTERN = 500;

export function isTopicName(text: string): boolean {
  return TOPIC_NAME.test(text);
}

/** `/regex/` is a pattern; a slash is in no topic's name. */
export function isPattern(text: string): boolean {
  return text.length > 1 && text.startsWith('/') && text.endsWith('/');
}

/** A name as it is, a pattern as an expression. The pattern must be right. */
export function parseTopic(text: string): string | RegExp {
  return isPattern(text) ? new RegExp(text.slice(1, -1)) : text;
}

/** What is wrong with an expression, to be put behind its name; '' when nothing is. */
export function patternMistake(expression: string): string {
  if (expression.length > MAX_PATTERN) return `is longer than ${MAX_PATTERN} characters`;
  if (expression === '') return 'is an empty pattern, which fits every topic; write /./ if that is meant';
  try {
    new RegExp(expression);
    return '';
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return `is no regular expression: ${error.message.replace(/^Invalid regular expression: /, '')}`;
  }
}

/** The first of the topics and patterns that takes the topic in. */
export function takenInBy(topics: readonly (string | RegExp)[], name: string): string | RegExp | undefined {
  return topics.find((topic) => (typeof topic === 'string' ? topic === name : topic.test(name)));
}
