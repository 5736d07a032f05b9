import { createHash } from 'node:crypto';
import type { FileContent } from '../../../contracts/file-content.ts';
import type { GeneratedFile, Generator } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { compileDocx, type DocxTemplate } from './docx-template.ts';
import { compileHtml, type HtmlTemplate } from './html-template.ts';
import { mergeHtml } from './html-merge.ts';
import { readPictures, showsPictures } from './pictures.ts';
import { renderTemplate } from './render.ts';
import type { Writing } from './values.ts';

/** Largest template in bytes: it is compiled in memory. */
const TEMPLATE_BYTES_MAX = 64 * 1024 * 1024;
/** Compiled templates that are kept. */
const COMPILED_MAX = 50;

const DOCX = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';
const HTML = 'text/html';

const options = {
  Currency: f.text({ doc: 'The currency of amounts, as its code of three letters.', max: 3, default: 'USD' }),
};

type Compiled =
  | { readonly kind: 'docx'; readonly template: DocxTemplate }
  | { readonly kind: 'html'; readonly template: HtmlTemplate };

/** By SHA-256 of the content; the one used last is at the end. */
const compiled = new Map<string, Promise<Compiled>>();

/** Fills in templates written in a word processor (DOCX) or in HTML. */
export const mailMergeGenerator: Generator<typeof options> = {
  doc: 'A letter or form from a template in Word (DOCX) or HTML, with fields, conditions and repeated rows.',
  options,
  reads: 'tree',
  templates: [DOCX, HTML],
  needsTemplate: true,
  async check(template, shape) {
    const { template: found } = await compile(template);
    return found.problems(shape);
  },
  async generate(source): Promise<GeneratedFile> {
    const { data, template, signal, locale, timeZone, now } = source;
    signal.throwIfAborted();
    if (data.kind !== 'tree' || template === undefined) throw new Error('a mail merge needs a template and a tree');
    const { tree, document } = data;
    const made = await compile(template);
    const [problem] = made.template.problems(undefined);
    if (problem)
      throw new PlatformError('BAD_TEMPLATE', {
        message: `${problem.place === undefined ? '' : `${problem.place}: `}${problem.text}`,
      });
    const writing: Writing = { locale, timeZone, now, currency: source.options.Currency };
    if (made.kind === 'html') {
      const html = await mergeHtml(made.template, tree, { document, signal, writing });
      return {
        mime: HTML,
        extension: 'html',
        async *bytes() {
          yield Buffer.from(html);
        },
      };
    }
    const { parts, write } = made.template;
    const pictures = await readPictures(
      (image) => {
        for (const nodes of parts.values())
          if (showsPictures(nodes)) renderTemplate(nodes, tree, { writing, signal, image, counter: () => 0 });
      },
      { document, signal },
    );
    return {
      mime: DOCX,
      extension: 'docx',
      bytes: () => write((nodes, media) => renderTemplate(nodes, tree, { writing, signal, ...media }), pictures),
    };
  },
};

/** Compiles a template, once for each content. */
async function compile(file: FileContent): Promise<Compiled> {
  if (file.size > TEMPLATE_BYTES_MAX)
    throw new PlatformError('TOO_LARGE', { message: `The template is larger than ${TEMPLATE_BYTES_MAX} bytes.` });
  const pieces: Uint8Array[] = [];
  for await (const piece of file.open()) pieces.push(piece);
  const bytes = Buffer.concat(pieces);
  const key = `${file.mime} ${createHash('sha256').update(bytes).digest('hex')}`;
  const known = compiled.get(key);
  const made = known ?? compileBytes(file.mime, bytes);
  compiled.delete(key);
  compiled.set(key, made);
  for (const oldest of compiled.keys()) {
    if (compiled.size <= COMPILED_MAX) break;
    compiled.delete(oldest);
  }
  return made;
}

async function compileBytes(mime: string, bytes: Buffer): Promise<Compiled> {
  return mime === HTML
    ? { kind: 'html', template: compileHtml(new TextDecoder('utf-8').decode(bytes)) }
    : { kind: 'docx', template: await compileDocx(bytes) };
}
