import { PlatformError } from '../../../../kernel/door/errors.ts';

/** A query's text with numbered parameters, and their names in order. */
export interface BoundQuery {
  readonly text: string;
  readonly names: readonly string[];
}

/**
 * Turns `{Name}` into bound parameters: the value never becomes part of the text. `'{Name}'` in quotes means the same.
 * Throws for braces inside other quoted text, which could not be bound.
 */
export function bindPlaceholders(query: string): BoundQuery {
  const names: string[] = [];
  const place = (name: string): string => {
    const at = names.findIndex((n) => n.toLowerCase() === name.toLowerCase());
    if (at >= 0) return `$${at + 1}`;
    names.push(name);
    return `$${names.length}`;
  };
  const pattern =
    /'\{([A-Za-z]\w{0,62})\}'|'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\{([A-Za-z]\w{0,62})\}|\{/g;
  const text = query.replace(pattern, (token, quoted: string | undefined, plain: string | undefined) => {
    const name = quoted ?? plain;
    if (name !== undefined) return place(name);
    if (token === '{')
      throw new PlatformError('BAD_STATEMENT', {
        field: 'Query',
        message: 'Query: a brace must begin a parameter such as {Name}.',
      });
    if (token.startsWith("'") && /\{[A-Za-z]\w*\}/.test(token))
      throw new PlatformError('BAD_STATEMENT', {
        field: 'Query',
        message:
          "Query: a parameter inside quoted text is not filled in; write it outside, as in 'Mr. ' || " + '{Name}.',
      });
    return token;
  });
  return { text, names };
}
