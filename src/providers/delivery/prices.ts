import type { LetterQuote, LetterSize, MailClass } from '../../contracts/delivery.ts';
import type { OptionValues } from '../../contracts/provider-options.ts';
import { f } from '../../kernel/declare/field.ts';
import type { ParameterFields } from '../../kernel/declare/field-types.ts';
import { bad } from '../../kernel/parameters/parse-value.ts';

/** Largest price, in cents. */
const CENTS_MAX = 100_000;

/** Options from which the cost of a letter is estimated, the same for every kind of mail house. */
export const priceOptions = {
  LetterCents: f.integer({ doc: 'Price of a letter with its first sheet, postage included, in cents.' }),
  SheetCents: f.integer({ doc: 'Price of each further sheet, in cents; by default 0.' }),
  CertifiedCents: f.integer({ doc: 'What certified mail costs besides, in cents; by default 0.' }),
  ReceiptCents: f.integer({ doc: 'What a return receipt costs besides, in cents; by default 0.' }),
  Duplex: f.boolean({ doc: 'Whether sheets are printed on both sides.', default: false }),
} as const satisfies ParameterFields;

const amounts = ['LetterCents', 'SheetCents', 'CertifiedCents', 'ReceiptCents'] as const;

/** The values of {@link priceOptions}. */
export type Prices = OptionValues<typeof priceOptions>;

/** @throws BAD_PARAMETER for a price that is none */
export function assertPrices(prices: Prices): void {
  for (const name of amounts) {
    const cents = prices[name] ?? 0;
    if (cents < 0 || cents > CENTS_MAX) throw bad(name, `a price between 0 and ${CENTS_MAX} cents`);
  }
}

/** Returns the sheets of a letter, and its cost if a price is configured. */
export function quoteLetter(prices: Prices, { pages, mailClass }: LetterSize): LetterQuote {
  const {
    LetterCents: letter,
    SheetCents: sheet = 0,
    CertifiedCents: certified = 0,
    ReceiptCents: receipt = 0,
  } = prices;
  const sheets = prices.Duplex ? Math.ceil(pages / 2) : pages;
  const extras: Readonly<Record<MailClass, number>> = {
    'First class': 0,
    Certified: certified,
    'Certified with return receipt': certified + receipt,
  };
  return { sheets, costCents: letter === undefined ? undefined : letter + (sheets - 1) * sheet + extras[mailClass] };
}
