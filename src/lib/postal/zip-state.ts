/**
 * The states of the first three digits of ZIP codes, as `from-to:state`. Three digits are of one state, except for the
 * codes below. Those of the armed forces are of none. A test compares both with the table of all ZIP codes.
 */
const RANGES =
  '005-005:NY 006-007:PR 008-008:VI 009-009:PR 010-027:MA 028-029:RI 030-038:NH 039-049:ME 050-054:VT 055-055:MA ' +
  '056-059:VT 060-069:CT 070-089:NJ 100-149:NY 150-196:PA 197-199:DE 200-200:DC 201-201:VA 202-205:DC 206-219:MD ' +
  '220-246:VA 247-268:WV 270-289:NC 290-299:SC 300-319:GA 320-339:FL 341-349:FL 350-369:AL 370-385:TN 386-397:MS ' +
  '398-399:GA 400-427:KY 430-459:OH 460-479:IN 480-499:MI 500-528:IA 530-549:WI 550-567:MN 569-569:DC 570-577:SD ' +
  '580-588:ND 590-599:MT 600-629:IL 630-658:MO 660-679:KS 680-693:NE 700-714:LA 716-729:AR 730-731:OK 733-733:TX ' +
  '734-749:OK 750-799:TX 800-816:CO 820-831:WY 832-838:ID 840-847:UT 850-865:AZ 870-884:NM 885-885:TX 889-898:NV ' +
  '900-961:CA 967-968:HI 969-969:GU 970-979:OR 980-994:WA 995-999:AK';

/** Codes of another state than the others with their first three digits. */
const EXCEPTIONS: ReadonlyMap<string, string> = new Map(
  (
    '06390:NY 20588:MD 20598:VA 73960:TX 83414:WY 96799:AS 96939:PW 96940:PW 96941:FM 96942:FM 96943:FM 96944:FM ' +
    '96950:MP 96951:MP 96952:MP 96960:MH 96970:MH'
  )
    .split(' ')
    .map((entry) => [entry.slice(0, 5), entry.slice(6)]),
);

const ranges = RANGES.split(' ').map((range) => ({
  from: Number(range.slice(0, 3)),
  to: Number(range.slice(4, 7)),
  state: range.slice(8),
}));

/**
 * Returns the two letters of the state of a ZIP code (`12345` or `12345-6789`); undefined for any other text, and for
 * codes of no state.
 */
export function stateOfZip(postalCode: string): string | undefined {
  const zip = /^\s*(\d{5})(?:-?\d{4})?\s*$/.exec(postalCode)?.[1];
  if (zip === undefined) return undefined;
  const first = Number(zip.slice(0, 3));
  return EXCEPTIONS.get(zip) ?? ranges.find(({ from, to }) => from <= first && first <= to)?.state;
}

/** Codes of the armed forces. */
const OTHER_CODES = ['AA', 'AE', 'AP'];
const stateCodes: ReadonlySet<string> = new Set([
  ...ranges.map(({ state }) => state),
  ...EXCEPTIONS.values(),
  ...OTHER_CODES,
]);

/** Whether two upper-case letters are a state, a territory or the armed forces in addresses of the United States. */
export function isStateCode(code: string): boolean {
  return stateCodes.has(code);
}
