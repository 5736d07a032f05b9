import type { FileContent } from '../../../contracts/file-content.ts';
import type { Generator, GeneratorSource } from '../../../contracts/generator.ts';
import { f } from '../../../kernel/declare/field.ts';
import { PlatformError } from '../../../kernel/door/errors.ts';
import { escapeText } from '../../../kernel/xml/element.ts';
import type { ChromiumPrinter, PrintOptions } from '../../../lib/chromium/chromium-printer.ts';
import { ChromiumUnavailable } from '../../../lib/chromium/chromium-process.ts';
import { hasVisibleText } from '../../../lib/chromium/inert-html.ts';
import { pdfHasText } from '../../../lib/pdf/pdf-text.ts';
import { compileHtml, type HtmlTemplate } from '../mail-merge/html-template.ts';
import { mergeHtml } from '../mail-merge/html-merge.ts';
import { reportHtml } from './report-html.ts';

/** Largest template in bytes. */
const TEMPLATE_BYTES_MAX = 16 * 1024 * 1024;
const MILLIMETERS_PER_INCH = 25.4;
/** Widest margin: more would leave no page. */
const MARGIN_MAX = 80;

/** Sizes of paper in inches. */
const SIZES: Readonly<Record<string, readonly [width: number, height: number]>> = {
  Letter: [8.5, 11],
  Legal: [8.5, 14],
  A4: [8.27, 11.69],
};

const options = {
  PageSize: f.choice(['Letter', 'Legal', 'A4'], { doc: 'The size of the paper.', default: 'Letter' }),
  Landscape: f.boolean({ doc: 'Whether pages are wider than high.', default: false }),
  Margin: f.integer({ doc: 'The margin on all sides, in millimeters, at most 80.', default: 20 }),
  Header: f.text({ doc: 'A line at the top of each page.', max: 200 }),
  Footer: f.text({ doc: 'A line at the bottom of each page.', max: 200 }),
  PageNumbers: f.boolean({
    doc: 'Whether the bottom of each page has its number and how many there are.',
    default: true,
  }),
  Currency: f.text({ doc: 'The currency of amounts, as its code of three letters.', max: 3, default: 'USD' }),
};

/** Makes PDF files of HTML templates, or of the data alone, printed by Chromium. */
export function pdfGenerator(printer: Pick<ChromiumPrinter, 'print'>): Generator<typeof options> {
  return {
    doc: 'A PDF file from a template in HTML with the tags of letters; without one, a report of all data.',
    options,
    reads: 'tree',
    templates: ['text/html'],
    needsTemplate: false,
    async check(template, shape) {
      return (await compile(template)).problems(shape);
    },
    async generate(source) {
      source.signal.throwIfAborted();
      const html = await htmlOf(source);
      const pdf = await print(printer, html, printOptions(source));
      const { Header = '', Footer = '' } = source.options;
      if (hasVisibleText(html) && !(await pdfHasText(pdf, [/Page \d+ of \d+/, Header, Footer])))
        throw new PlatformError('BAD_TEMPLATE', {
          message: 'The printed document has no text although its template has; check that its styles show the text.',
        });
      return {
        mime: 'application/pdf',
        extension: 'pdf',
        async *bytes() {
          yield pdf;
        },
      };
    },
  };
}

async function htmlOf(source: GeneratorSource<typeof options>): Promise<string> {
  const { data, template, locale, timeZone, now, options: values } = source;
  if (data.kind !== 'tree') throw new Error('a PDF file is made of a tree');
  const writing = { locale, timeZone, now, currency: values.Currency };
  if (template === undefined) return reportHtml(data.tree, writing);
  const compiled = await compile(template);
  const [problem] = compiled.problems(undefined);
  if (problem)
    throw new PlatformError('BAD_TEMPLATE', {
      message: `${problem.place === undefined ? '' : `${problem.place}: `}${problem.text}`,
    });
  return mergeHtml(compiled, data.tree, { document: data.document, signal: source.signal, writing });
}

async function compile(template: FileContent): Promise<HtmlTemplate> {
  if (template.size > TEMPLATE_BYTES_MAX)
    throw new PlatformError('TOO_LARGE', { message: `The template is larger than ${TEMPLATE_BYTES_MAX} bytes.` });
  const pieces: Uint8Array[] = [];
  for await (const piece of template.open()) pieces.push(piece);
  return compileHtml(new TextDecoder('utf-8').decode(Buffer.concat(pieces)));
}

function printOptions({ options: values, signal }: GeneratorSource<typeof options>): PrintOptions {
  const [width, height] = SIZES[values.PageSize] ?? [8.5, 11];
  const { Margin: margin, Header: header = '', Footer: footer = '' } = values;
  if (margin < 0 || margin > MARGIN_MAX)
    throw new PlatformError('BAD_PARAMETER', {
      field: 'Margin',
      message: `Margin: expected millimeters from 0 to ${MARGIN_MAX}, not ${margin}.`,
    });
  const numbers = 'Page <span class="pageNumber"></span> of <span class="totalPages"></span>';
  return {
    width,
    height,
    margin: margin / MILLIMETERS_PER_INCH,
    isLandscape: values.Landscape,
    header: edgeHtml(escapeText(header), ''),
    footer: edgeHtml(escapeText(footer), values.PageNumbers ? numbers : ''),
    signal,
  };
}

/** Returns the HTML of a page's edge: a text on the left, another one on the right; '' for neither. */
function edgeHtml(left: string, right: string): string {
  if (left === '' && right === '') return '';
  const style =
    'font:8pt Arial,sans-serif;width:100%;box-sizing:border-box;padding:0 12mm;' +
    'display:flex;justify-content:space-between';
  return `<div style="${style}"><span>${left}</span><span>${right}</span></div>`;
}

async function print(printer: Pick<ChromiumPrinter, 'print'>, html: string, how: PrintOptions): Promise<Buffer> {
  try {
    return await printer.print(html, how);
  } catch (error) {
    if (!(error instanceof ChromiumUnavailable)) throw error;
    throw new PlatformError('CONVERTER_UNAVAILABLE', {
      message: `${error.message} Install Chromium, or set ChromiumCommand to its program.`,
      cause: error,
    });
  }
}
