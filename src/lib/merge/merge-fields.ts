/** An expression in braces, such as `{LastName}` or `{count(//ContactItem)}`. */
export interface MergeField {
  /** Index of the opening brace in the text. */
  readonly start: number;
  /** Index after the closing brace. */
  readonly end: number;
  /** What is between the braces, trimmed. */
  readonly expression: string;
}

/** Text in braces on one line. A brace in a quoted part, as in `{//Note[. = '}']}`, closes nothing. */
const BRACES = /\{((?:[^{}"'\n]|"[^"\n]*"|'[^'\n]*')+)\}/g;
const NAME = /^[A-Za-z_]\w*$/;
/** How an XPath begins that is more than a name. A name alone is a merge field; words are text. */
const PATH = /^(?:[/(@]|\.{1,2}\/|[A-Za-z_][\w.-]*\s*(?:\/|\[|\(|::))/;
const QUOTED = /"[^"]*"|'[^']*'/g;
/** What a declaration of CSS or a member of JSON has and an XPath has not. */
const NO_XPATH = /;|(?<!:):(?!:)/;

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  '#39': "'",
  '#34': '"',
};

/** Returns the merge fields of a text in order. Other braces are text, such as those of CSS and JSON. */
export function mergeFields(text: string): readonly MergeField[] {
  return fieldsIn(text, (expression) => expression);
}

/** Returns the merge fields of HTML, in whose expressions an editor may have written `&gt;` for `>`. */
export function mergeFieldsOfHtml(html: string): readonly MergeField[] {
  return fieldsIn(html, withoutEntities);
}

function fieldsIn(text: string, decode: (expression: string) => string): readonly MergeField[] {
  const found: MergeField[] = [];
  for (const match of text.matchAll(BRACES)) {
    const expression = decode(match[1] ?? '').trim();
    if (isExpression(expression)) found.push({ start: match.index, end: match.index + match[0].length, expression });
  }
  return found;
}

/** Returns a text with each merge field replaced by its value. */
export function fillFields(
  text: string,
  fields: readonly MergeField[],
  valueOf: (expression: string) => string,
): string {
  let filled = '';
  let at = 0;
  for (const { start, end, expression } of fields) {
    filled += text.slice(at, start) + valueOf(expression);
    at = end;
  }
  return filled + text.slice(at);
}

/** Whether an expression is a plain name: a merge value, a column, or the first element of that name. */
export function isName(expression: string): boolean {
  return NAME.test(expression);
}

function isExpression(text: string): boolean {
  return NAME.test(text) || (PATH.test(text) && !NO_XPATH.test(text.replace(QUOTED, '')));
}

function withoutEntities(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|apos|nbsp|#39|#34);/g, (entity, name: string) => ENTITIES[name] ?? entity);
}
