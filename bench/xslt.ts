import { XmlDocument, XsltStylesheet } from 'libxslt-wasm';
import { silentLog } from '../src/kernel/ports/log.ts';
import { ThreadSandbox } from '../src/kernel/xml/sandbox/sandbox.ts';
import type { BenchOptions } from './run.ts';
import { compare, line, type Side } from './lib/pairs.ts';

/** Rows of the answer and their bytes: a full page of a search. */
const ROWS = 100;

const SHEET = [
  '<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:output method="html"/>',
  '<xsl:key name="byState" match="LoanItem" use="State"/>\n',
  '<xsl:template match="/"><html><head><title>Loans</title></head><body>',
  '<xsl:for-each select="//LoanItem[count(. | key(\'byState\', State)[1]) = 1]"><xsl:sort select="State"/>',
  '<h2><xsl:value-of select="State"/></h2>\n',
  '<table><xsl:for-each select="key(\'byState\', State)"><xsl:sort select="Amount" data-type="number"/>',
  '<xsl:apply-templates select="."/></xsl:for-each></table></xsl:for-each></body></html></xsl:template>\n',
  '<xsl:template match="LoanItem"><tr><td><xsl:value-of select="Loan"/></td>',
  '<td><xsl:value-of select="format-number(Amount, \'#,##0.00\')"/></td></tr></xsl:template></xsl:stylesheet>',
].join('');

const ITEMS = Array.from(
  { length: ROWS },
  (_, i) =>
    `<LoanItem><LoanID>${i}</LoanID><Loan>${700_000_000 + i}</Loan><State>S${i % 12}</State>` +
    `<Amount>${(i * 7_919) % 1_000_000}.25</Amount>` +
    `<Note>Row ${i} of the answer that a stylesheet makes into a page.</Note></LoanItem>`,
);
const XML = `<LoanCollection>${ITEMS.join('')}</LoanCollection>`;

/**
 * A page made by a stylesheet in the sandbox, compared with the same library called directly: without limits, in the
 * caller's thread.
 */
export async function bench(options: BenchOptions): Promise<void> {
  const sandbox = new ThreadSandbox(silentLog);
  const inSandbox = (): Promise<string> =>
    sandbox.transform({ stylesheet: SHEET, xml: XML, scope: 'bench', wellFormed: false });
  try {
    if ((await inSandbox()) !== (await plainly())) throw new Error('the sandbox makes another page than the library');
    for (const [name, callers, rateAtLeast] of [
      ['one caller', 1, 0.5],
      ['four callers', 4, 0.5],
    ] as const) {
      const figure = `${ROWS} rows, ${name}`;
      if (options.takes(figure))
        options.print(
          line(`xslt: ${figure}`, await compare(side(plainly, callers), side(inSandbox, callers), options.plan), {
            rateAtLeast,
          }),
        );
    }
  } finally {
    await sandbox.stop();
  }
}

async function plainly(): Promise<string> {
  const sheet = await XsltStylesheet.fromString(SHEET);
  const input = await XmlDocument.fromString(XML);
  const result = await sheet.apply(input);
  const text = sheet.applyToString(result);
  for (const each of [result, input, sheet]) each.delete();
  return text;
}

function side(run: () => Promise<string>, callers: number): Side {
  return {
    async slice(milliseconds) {
      const began = performance.now();
      let calls = 0;
      const caller = async (): Promise<void> => {
        while (performance.now() - began < milliseconds) {
          await run();
          calls++;
        }
      };
      await Promise.all(Array.from({ length: callers }, caller));
      return { calls, seconds: (performance.now() - began) / 1_000 };
    },
    cpu: async () => process.cpuUsage(),
  };
}
