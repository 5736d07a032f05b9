/** Returns the name of a ledger's line as an element: without spaces and what else an element's name cannot hold. */
export function lineElementName(line: string): string {
  return line.replace(/[^\p{L}\p{N}_.-]+/gu, '');
}
