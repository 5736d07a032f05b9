import { text } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** Returns the XML of the first worksheet of a workbook. */
export async function worksheetOf(workbook: Buffer): Promise<string> {
  const file = await fromBufferPromise(workbook, { lazyEntries: true });
  for await (const entry of file.eachEntry())
    if (entry.fileName === 'xl/worksheets/sheet1.xml') return text(await file.openReadStreamPromise(entry));
  throw new Error('the workbook has no worksheet');
}

/** Returns the cells of each row of a worksheet: kind or format, and content. */
export function cellsOf(sheet: string): readonly (readonly string[])[] {
  return [...sheet.matchAll(/<row [^>]*>(.*?)<\/row>/gs)].map(([, row = '']) =>
    [...row.matchAll(/<c r="[A-Z]+\d+"([^>]*)>(.*?)<\/c>/gs)].map(([, attributes = '', content = '']) => {
      const format = / s="(\d)"/.exec(attributes)?.[1] ?? '';
      const kind = / t="(\w+)"/.exec(attributes)?.[1] ?? 'n';
      return `${kind}${format}:${content.replace(/<[^>]*>/g, '')}`;
    }),
  );
}
