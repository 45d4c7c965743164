/** Brings what is shown up to date with as few changes as possible: focus, scroll, selection and opened rows stay. */

/** What the reader sets, and no rendering may take back. */
const READERS = new Set(['open']);

/**
 * Makes the children of `shown` like those of `fresh`; elements with the same `data-key` are the same. `fresh` is used up.
 * @param {Element} shown
 * @param {Element} fresh
 */
export function morphChildren(shown, fresh) {
  const focused = document.activeElement;
  patchChildren(shown, fresh);
  if (focused instanceof HTMLElement && focused !== document.activeElement && focused.isConnected) {
    focused.focus({ preventScroll: true });
  }
}

/**
 * @param {Element} shown
 * @param {Element} fresh
 */
function patchChildren(shown, fresh) {
  const wanted = new Set([...fresh.children].map(keyOf));
  /** @type {Map<string, Element>} */
  const known = new Map();
  for (const child of [...shown.children]) {
    const key = keyOf(child);
    if (key === null) continue;
    if (wanted.has(key) && !known.has(key)) known.set(key, child);
    else child.remove();
  }
  let at = shown.firstChild;
  for (const child of [...fresh.childNodes]) {
    const key = child instanceof Element ? keyOf(child) : null;
    const same = key === null ? at : (known.get(key) ?? null);
    if (key !== null) known.delete(key);
    if (same === null || !isLike(same, child)) {
      shown.insertBefore(child, at);
      continue;
    }
    if (same === at) at = at.nextSibling;
    else shown.insertBefore(same, at);
    patch(same, child);
  }
  while (at !== null) {
    const next = at.nextSibling;
    at.remove();
    at = next;
  }
}

/**
 * @param {ChildNode} shown
 * @param {ChildNode} fresh
 */
function patch(shown, fresh) {
  if (!(shown instanceof Element && fresh instanceof Element)) {
    if (shown.nodeValue !== fresh.nodeValue) shown.nodeValue = fresh.nodeValue;
    return;
  }
  for (const { name } of [...shown.attributes]) {
    if (!fresh.hasAttribute(name) && !READERS.has(name)) shown.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (shown.getAttribute(name) !== value && !READERS.has(name)) shown.setAttribute(name, value);
  }
  patchChildren(shown, fresh);
}

/**
 * @param {ChildNode} shown
 * @param {ChildNode} fresh
 */
function isLike(shown, fresh) {
  return (
    shown.nodeName === fresh.nodeName &&
    (shown instanceof Element ? keyOf(shown) : null) === (fresh instanceof Element ? keyOf(fresh) : null)
  );
}

/** @param {Element} element */
function keyOf(element) {
  return element.getAttribute('data-key');
}
