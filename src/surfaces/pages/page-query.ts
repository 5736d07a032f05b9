/** Returns a page's address with more in its query. An empty value is left out. */
export function withQuery(path: string, more: Readonly<Record<string, string>>): string {
  const [address = '', hash] = path.split('#', 2);
  const [base = '', query = ''] = address.split('?', 2);
  const all = new URLSearchParams(query);
  for (const [name, value] of Object.entries(more)) if (value !== '') all.set(name, value);
  return `${base}${all.size > 0 ? `?${all.toString()}` : ''}${hash === undefined ? '' : `#${hash}`}`;
}
