/** The columns of a contact that name it. */
type NamePart = 'LastName' | 'FirstName' | 'MiddleName' | 'Suffix' | 'Company';

/** Returns "LastName, FirstName Middle Suffix", or the company if there is no name. */
export function contactLabel(row: Readonly<Partial<Record<NamePart, unknown>>>): string | null {
  const text = (name: NamePart): string => (typeof row[name] === 'string' ? row[name].trim() : '');
  const given = [text('FirstName'), text('MiddleName'), text('Suffix')].filter((part) => part !== '').join(' ');
  const name = [text('LastName'), given].filter((part) => part !== '').join(', ');
  return name || text('Company') || null;
}
