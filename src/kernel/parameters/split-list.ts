/** The names that a text lists with commas between them, as settings and columns hold lists; without the space around them, empty ones left out. */
export function splitCommaList(text: string): string[] {
  return text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
}
