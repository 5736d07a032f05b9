/** Returns a text cut to a number of characters, without half of one at its end, which the database refuses in JSON. */
export function cutText(text: string, charactersMax: number): string {
  return text.slice(0, charactersMax).toWellFormed();
}
