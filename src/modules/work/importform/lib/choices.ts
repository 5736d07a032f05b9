/** An answer that a Choice allows: what is stored, and what people read. */
export interface Choice {
  readonly code: string;
  readonly label: string;
}

/** Reads the lines of Choices: `code` or `code|label`. Empty lines say nothing. */
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

/** The choice that text means: by its code, else by what people read, each without regard to case. */
export function findChoice(choices: readonly Choice[], text: string): Choice | undefined {
  const wanted = text.trim().toLowerCase();
  return (
    choices.find(({ code }) => code.toLowerCase() === wanted) ??
    choices.find(({ label }) => label.toLowerCase() === wanted)
  );
}
