import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const sheet = readFileSync(new URL('../../../src/surfaces/pages/design/tokens.css', import.meta.url), 'utf8');

type Scheme = 'light' | 'dark';
type Colors = ReadonlyMap<string, readonly [light: string, dark: string]>;

/** Returns the colors that a rule of the style sheet declares. */
function colorsOf(selector: string): Colors {
  const start = sheet.indexOf(`${selector} {`);
  const rule = sheet.slice(start, sheet.indexOf('\n}', start));
  const pairs = rule.matchAll(/--([\w-]+): light-dark\((#\w{6}), (#\w{6})\)/g);
  const single = rule.matchAll(/--([\w-]+): (#\w{6});/g);
  return new Map([
    ...[...pairs].map(([, name = '', light = '', dark = '']) => [name, [light, dark]] as const),
    ...[...single].map(([, name = '', color = '']) => [name, [color, color]] as const),
  ]);
}

/** The contrast of two colors as WCAG 2 defines it. */
function contrast(one: string, other: string): number {
  const luminance = (color: string): number => {
    const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
      const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const SURFACES = ['bg', 'surface', 'surface-2', 'surface-3', 'raised', 'selected'];
/** Texts, and the surfaces on which they are read. */
const TEXTS: readonly (readonly [text: string, surfaces: readonly string[]])[] = [
  ['text', SURFACES],
  ['text-2', SURFACES],
  ['text-3', SURFACES],
  ['accent', ['surface', 'surface-2', 'selected', 'accent-soft']],
  ['on-accent', ['accent-solid', 'accent-hover']],
  ['on-inverse', ['inverse']],
  ['danger', ['bg', 'surface', 'surface-2', 'selected', 'danger-soft']],
  ['warn', ['bg', 'surface', 'surface-2', 'warn-soft']],
  ['ok', ['bg', 'surface', 'surface-2', 'ok-soft']],
  ['violet', ['surface', 'violet-soft']],
];
/** Edges of controls and marks that carry a meaning, and what they are on. */
const MARKS: readonly (readonly [mark: string, surfaces: readonly string[]])[] = [
  ['line-control', ['surface', 'surface-2', 'raised']],
  ['focus', ['surface', 'bg']],
  ['danger-solid', ['surface']],
  ['warn-solid', ['surface']],
  ['ok-solid', ['surface']],
];

function weakPairs(
  colors: Colors,
  pairs: readonly (readonly [string, readonly string[]])[],
  expected: number,
): readonly string[] {
  return pairs.flatMap(([front, backs]) =>
    backs.flatMap((back) =>
      (['light', 'dark'] as readonly Scheme[]).flatMap((scheme, at) => {
        const [one, other] = [colors.get(front)?.[at], colors.get(back)?.[at]];
        if (one === undefined || other === undefined) return [`${front} or ${back} is not declared`];
        const ratio = contrast(one, other);
        return ratio >= expected ? [] : [`${front} on ${back}, ${scheme}: ${ratio.toFixed(2)}`];
      }),
    ),
  );
}

test('WEB-01 every text has a contrast of 4.5:1 and every mark 3:1, in light and dark', () => {
  const colors = colorsOf(':root');
  assert.deepEqual(weakPairs(colors, TEXTS, 4.5), []);
  assert.deepEqual(weakPairs(colors, MARKS, 3), []);
});

test('WEB-01 with high contrast every text has 7:1', () => {
  const colors = new Map([...colorsOf(':root'), ...colorsOf(":root[data-theme='contrast']")]);
  assert.deepEqual(weakPairs(colors, TEXTS, 7), []);
});

test('WEB-01 the contrast of black and white is 21, as WCAG defines it', () => {
  assert.equal(contrast('#000000', '#ffffff'), 21);
  assert.equal(contrast('#777777', '#ffffff').toFixed(2), '4.48');
});
