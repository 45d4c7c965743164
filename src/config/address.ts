/** Which web addresses the configuration takes. */

const REFERENCE = /^from(Env|File):.+$/s;

/** Whether the text says where an address or a secret is, in place of being it. */
export function isReference(text: string): boolean {
  return REFERENCE.test(text);
}

/** What is wrong with one, to be put behind its name; '' when nothing is. The address itself is not quoted. */
export function addressMistake(value: string, mayHoldCredentials = false): string {
  const url = URL.canParse(value) ? new URL(value) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) return 'is no http or https URL, as in http://host:9093';
  if (url.username === '' && url.password === '') return '';
  if (!mayHoldCredentials) {
    return 'holds credentials; put the URL into a variable or a file and write fromEnv:NAME or fromFile:PATH';
  }
  return canDecode(url.username + url.password) ? '' : 'holds credentials that are not percent-encoded';
}

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
