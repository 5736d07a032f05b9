/** Longest style attribute that is read; a longer one is dropped. */
const STYLE_CHARACTERS_MAX = 4_000;

const LENGTH = String.raw`(?:\d{1,4}(?:\.\d{1,4})?|\.\d{1,4})(?:px|pt|em|rem|ex|ch|in|cm|mm|%)?`;
const LENGTHS = new RegExp(`^(?:(?:${LENGTH}|auto)(?: |$)){1,4}$`, 'i');
const SIZE = new RegExp(`^(?:${LENGTH}|auto|none|normal)$`, 'i');
const FONT_SIZE =
  /^(?:(?:\d{1,2}|1\d\d)(?:\.\d{1,4})?(?:px|pt|em|rem|%)|(?:xx?-)?(?:small|large)|medium|smaller|larger)$/i;
const COLOR = /^(?:#[\da-f]{3,8}|[a-z]{3,30}|(?:rgb|hsl)a?\([\d., %/]{3,60}\))$/i;
const BORDER = new RegExp(
  `^(?:(?:${LENGTH}|thin|medium|thick|none|hidden|solid|dashed|dotted|double|#[\\da-f]{3,8}|[a-z]{3,30}|` +
    'rgba?\\([\\d., %]{3,60}\\))(?: |$)){1,4}$',
  'i',
);
const WORDS = /^[a-z-]{1,30}(?: [a-z-]{1,30}){0,3}$/i;
const FONTS = /^[\w ,.-]{1,200}$/;

/** Allowed values of each property. None of them covers other content, loads anything or runs code. */
const PROPERTIES: ReadonlyMap<string, RegExp> = new Map([
  ['color', COLOR],
  ['background', COLOR],
  ['background-color', COLOR],
  ['font-size', FONT_SIZE],
  ['font-family', FONTS],
  ['font-style', WORDS],
  ['font-weight', /^(?:[1-9]00|normal|bold|bolder|lighter)$/i],
  ['font-variant', WORDS],
  ['line-height', SIZE],
  ['letter-spacing', SIZE],
  ['text-align', /^(?:left|right|center|justify|start|end)$/i],
  ['text-decoration', WORDS],
  ['text-decoration-line', WORDS],
  ['text-indent', SIZE],
  ['text-transform', WORDS],
  ['vertical-align', /^(?:baseline|sub|super|top|middle|bottom|text-top|text-bottom)$/i],
  ['white-space', /^(?:normal|nowrap|pre|pre-wrap|pre-line)$/i],
  ['word-break', WORDS],
  ['overflow-wrap', WORDS],
  ['direction', /^(?:ltr|rtl)$/i],
  ['list-style-type', WORDS],
  ['display', /^(?:none|block|inline|inline-block|table|table-row|table-cell|list-item)$/i],
  ['float', /^(?:left|right|none)$/i],
  ['clear', /^(?:left|right|both|none)$/i],
  ['border-collapse', /^(?:collapse|separate)$/i],
  ...['border-spacing', 'border-radius', 'margin', 'padding', 'border-width'].map((name) => [name, LENGTHS] as const),
  ...['top', 'right', 'bottom', 'left'].flatMap(
    (side) =>
      [
        [`margin-${side}`, SIZE],
        [`padding-${side}`, SIZE],
        [`border-${side}`, BORDER],
        [`border-${side}-color`, COLOR],
        [`border-${side}-width`, SIZE],
        [`border-${side}-style`, WORDS],
      ] as const,
  ),
  ['border', BORDER],
  ['border-color', COLOR],
  ['border-style', WORDS],
  ...['width', 'height', 'max-width', 'min-width', 'max-height'].map((name) => [name, SIZE] as const),
]);

/** Returns the harmless declarations of a style attribute, rewritten; '' if none is left. */
export function harmlessStyle(style: string): string {
  if (style.length > STYLE_CHARACTERS_MAX) return '';
  return style.split(';').flatMap(harmlessDeclaration).join(';');
}

function harmlessDeclaration(declaration: string): string[] {
  const colon = declaration.indexOf(':');
  if (colon === -1) return [];
  const name = declaration.slice(0, colon).trim().toLowerCase();
  const allowed = PROPERTIES.get(name);
  if (!allowed) return [];
  // Names of fonts need no quotation marks.
  const written = allowed === FONTS ? declaration.replace(/["']/g, '') : declaration;
  const value = written
    .slice(colon + 1)
    .replace(/!\s*important\s*$/i, '')
    .replace(/\s+/g, ' ')
    .trim();
  return allowed.test(value) ? [`${name}:${value}`] : [];
}
