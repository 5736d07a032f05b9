import { UnreadableFile, type OpenText, type TextFile } from '../../../contracts/text-reader.ts';
import { pagesOf, TextCollector } from './sections.ts';
import { openZip, relatedParts, relationId, type ZipParts } from './zip-parts.ts';

/** Most slides of a presentation. */
const SLIDES_MAX = 5_000;

/** Opens a PPTX file; each slide is a page. */
export async function openPresentation({ bytes }: TextFile): Promise<OpenText> {
  const zip = await openZip(bytes);
  const slides = await slideParts(zip);
  if (slides.length > SLIDES_MAX) throw new UnreadableFile(`The file has more than ${SLIDES_MAX} slides.`);
  const texts: string[] = [];
  for (const part of slides) texts.push(await slideText(zip, part));
  return pagesOf(texts);
}

/** Returns the parts of the slides in the order in which they are shown. */
async function slideParts(zip: ZipParts): Promise<readonly string[]> {
  const main = 'ppt/presentation.xml';
  const parts = await relatedParts(zip, main);
  const slides: string[] = [];
  await zip.read(main, {
    open(name, attributes) {
      const part = name === 'sldId' ? parts.get(relationId(attributes) ?? '') : undefined;
      if (part !== undefined) slides.push(part);
    },
  });
  return slides;
}

async function slideText(zip: ZipParts, part: string): Promise<string> {
  const text = new TextCollector();
  let isText = false;
  await zip.read(part, {
    open(name) {
      if (name === 't') isText = true;
      else if (name === 'br') text.add('\n');
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'p') text.endLine();
      else if (name === 'tc') text.add('\t');
    },
    text(piece) {
      if (isText) text.add(piece);
    },
  });
  return text.text();
}
