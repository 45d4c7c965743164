/** The token: asked for in a form, kept in this tab's session only, sent as a header and nowhere else. */

const KEY = 'skewscope-token';

/** Whether the service said, in the document, that it wants one. */
export function tokenNeeded() {
  return document.querySelector('meta[name="skewscope-access"]')?.getAttribute('content') === 'token';
}

/** '' when there is none. */
export function token() {
  return sessionStorage.getItem(KEY) ?? '';
}

export function forgetToken() {
  sessionStorage.removeItem(KEY);
}

/**
 * Shows the form in place of the page; a form that is shown already is left to whoever types into it.
 * @param {string} failure why the last token was not taken; '' when none was tried
 */
export function askForToken(failure) {
  const { form, input, message, main } = parts();
  if (!form.hidden && failure === '') return;
  main.hidden = true;
  form.hidden = false;
  message.textContent = failure;
  input.value = '';
  input.focus();
}

export function hideForm() {
  const { form, main } = parts();
  form.hidden = true;
  main.hidden = false;
}

/** @param {() => void} then called with each token that is given */
export function onToken(then) {
  const { form, input } = parts();
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    sessionStorage.setItem(KEY, input.value.trim());
    then();
  });
}

function parts() {
  const form = document.getElementById('access');
  const input = document.getElementById('token');
  const message = document.getElementById('access-failure');
  const main = document.getElementById('main');
  if (!form || !(input instanceof HTMLInputElement) || !message || !main) throw new Error('the document is not whole');
  return { form, input, message, main };
}
