/** A choice of a question: the stored code and the label that people read. */
export interface Choice {
  readonly code: string;
  readonly label: string;
}

/** Parses the lines of Choices: `code` or `code|label`. Skips empty lines. */
export function parseChoices(text: string | null): readonly Choice[] {
  return (text ?? '')
    .split(/\r\n?|\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.indexOf('|');
      const code = (at < 0 ? line : line.slice(0, at)).trim();
      return { code, label: at < 0 ? code : line.slice(at + 1).trim() || code };
    });
}

/** Returns the choice of a text, by code or else by label, ignoring case. */
export function findChoice(choices: readonly Choice[], text: string): Choice | undefined {
  const normalized = text.trim().toLowerCase();
  return (
    choices.find(({ code }) => code.toLowerCase() === normalized) ??
    choices.find(({ label }) => label.toLowerCase() === normalized)
  );
}
