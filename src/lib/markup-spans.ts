/**
 * Replaces parts of a markup text, such as comments or scripts, each from a start to the first end after it. `start`
 * finds starts, ignoring case; `ends` has the end of each by its text in lower case. A start without an end stays.
 * Takes time in proportion to the text, however broken it is: an end that is missing once is not searched again.
 */
export function replaceSpans(
  text: string,
  start: RegExp,
  ends: Readonly<Record<string, RegExp>>,
  replacement: (span: string) => string,
): string {
  const starts = new RegExp(start, 'gi');
  const endless = new Set<string>();
  const parts: string[] = [];
  let at = 0;
  for (let match = starts.exec(text); match; match = starts.exec(text)) {
    const name = match[0].toLowerCase();
    const pattern = ends[name];
    if (pattern === undefined || endless.has(name)) continue;
    const end = new RegExp(pattern, 'gi');
    end.lastIndex = starts.lastIndex;
    if (!end.test(text)) {
      endless.add(name);
      continue;
    }
    parts.push(text.slice(at, match.index), replacement(text.slice(match.index, end.lastIndex)));
    at = starts.lastIndex = end.lastIndex;
  }
  return parts.join('') + text.slice(at);
}
