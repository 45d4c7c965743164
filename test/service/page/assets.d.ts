/** Types of the page's own modules, which are plain JavaScript. */
declare module '*/page/assets/visible.js' {
  export function visible(text: string): string;
  export function shortName(text: string): string;
}

declare module '*/page/assets/words.js' {
  export function digits(count: number): string;
  export function plural(count: number, one: string, many?: string): string;
  export function duration(ms: number): string;
  export function age(ms: number): string;
  export function clock(time: string, now: number): string;
  export function span(from: string, to: string, now: number): string;
  export function enumerate(names: readonly string[], most?: number): string;
}

declare module '*/page/assets/prose.js' {
  export function blocks(text: string): { literal: boolean; lines: string[] }[];
}
