/**
 * Numbers and texts that differ between a guide and the server that its commands are run on: IDs, and texts that the
 * guide shortens with `…`. A shown answer says which is which: what it shows in the place of an ID, or shortens, stands
 * for what the server answered there, in everything that follows.
 */
export class GuideNames {
  readonly #ids = new Map<string, string>();
  readonly #texts = new Map<string, string>();

  /** Notes which ID the server has for one of the guide. Returns false if another was noted before. */
  noteId(shown: string, actual: string): boolean {
    const known = this.#ids.get(shown);
    this.#ids.set(shown, known ?? actual);
    return known === undefined || known === actual;
  }

  noteText(shown: string, actual: string): void {
    const characters = shown.replaceAll('…', '').length;
    if (characters >= TEXT_CHARACTERS_MIN && !shown.includes('\n')) this.#texts.set(shown, actual);
  }

  /** Returns a command, or the content of a file, with the server's names. Throws if an ID stands for no record. */
  translate(text: string): string {
    let translated = text;
    for (const [shown, actual] of this.#texts) translated = translated.replaceAll(shown, actual);
    return translated.replaceAll(IDS, (_, before: string, ids: string) => {
      const isId = before !== '/';
      return before + ids.replaceAll(/\d+/g, (shown) => this.#ids.get(shown) ?? (isId ? unknownId(shown) : shown));
    });
  }
}

function unknownId(shown: string): never {
  throw new Error(`no answer before this shows the ID ${shown}, and the text does not say that it is "of the demo"`);
}

/** A shortened text must have so many characters beside `…` to be recognized elsewhere. */
const TEXT_CHARACTERS_MIN = 3;

/** Places of IDs in commands and documents: `ID=81,82`, `"ObjectID": 7`, `/api/foreclosure/17`, `LinkedTo=Loan:5`. */
// A GUID may begin with digits.
const IDS = /(ID=|ID": ?"?|=[A-Z][A-Za-z]+:|\/)(\d+(?:,\d+)*)(?![\w.-])/g;
