import type { OpenText, TextFile } from '../../../contracts/text-reader.ts';
import { sectionsOf, TextCollector } from './sections.ts';
import { openZip, type ZipParts } from './zip-parts.ts';

/** Opens a DOCX file. Its pages depend on who prints it, so its text is divided into sections. */
export async function openWord({ bytes }: TextFile): Promise<OpenText> {
  const zip = await openZip(bytes);
  const text = new TextCollector();
  for (const part of ['word/document.xml', ...besideParts(zip)]) await collect(zip, part, text);
  return sectionsOf(text.text());
}

/** Parts with text beside the body, in the order of their names. */
function besideParts(zip: ZipParts): readonly string[] {
  return zip.names
    .filter((name) => /^word\/(?:header\d*|footer\d*|footnotes|endnotes|comments)\.xml$/i.test(name))
    .sort();
}

/** Elements whose text is not shown: an older form of what is beside it, and removed text. */
const HIDDEN: ReadonlySet<string> = new Set(['Fallback', 'delText', 'instrText', 'del', 'moveFrom']);

async function collect(zip: ZipParts, part: string, text: TextCollector): Promise<void> {
  let hidden = 0;
  let isText = false;
  await zip.read(part, {
    open(name) {
      if (HIDDEN.has(name)) hidden++;
      if (hidden > 0) return;
      if (name === 't') isText = true;
      else if (name === 'tab') text.add('\t');
      else if (name === 'br' || name === 'cr') text.add('\n');
      else if (name === 'noBreakHyphen') text.add('-');
    },
    close(name) {
      if (HIDDEN.has(name)) hidden--;
      if (name === 't') isText = false;
      else if (name === 'tc') text.add('\t');
      else if (name === 'p') text.endLine();
    },
    text(piece) {
      if (isText && hidden === 0) text.add(piece);
    },
  });
  text.endLine();
}
