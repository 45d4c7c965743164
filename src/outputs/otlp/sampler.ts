/** The share of spans that the standard variables ask for: OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. */

const FIXED: Readonly<Record<string, number>> = { always_on: 1, always_off: 0 };

/**
 * 0 to 1; undefined when nothing is said, or `wrong` naming the variable. These spans have no parent outside, so the
 * `parentbased_` samplers are what they are at the root.
 */
export function samplerRatio(
  env: Readonly<Record<string, string | undefined>>,
): number | undefined | { readonly wrong: string } {
  const name = (env.OTEL_TRACES_SAMPLER ?? '').trim().replace(/^parentbased_/, '');
  if (name === '') return undefined;
  if (Object.hasOwn(FIXED, name)) return FIXED[name];
  if (name !== 'traceidratio') {
    return { wrong: 'OTEL_TRACES_SAMPLER is not supported; use always_on, always_off or traceidratio' };
  }
  const text = (env.OTEL_TRACES_SAMPLER_ARG ?? '').trim();
  const ratio = text === '' ? 1 : Number(text);
  if (ratio >= 0 && ratio <= 1) return ratio;
  return { wrong: 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1' };
}
