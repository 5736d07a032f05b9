import type { CallExample } from '../shared/description.ts';
import type { Operation } from '../../kernel/declare/operation.ts';
import { callExample, filterExample, isSaved, saveExample, updateExample } from './records.ts';

/** Server address in examples. */
const EXAMPLE_SERVER = 'https://casewright.example';

/** Returns what an example call sends: the declared parameters, and some further ones that the operation accepts. */
function exampleParameters(operation: Operation): Readonly<Record<string, unknown>> {
  const { params, free, record, name } = operation;
  const needed = Object.fromEntries(
    Object.entries(callExample(params)).filter(([parameter]) => free === undefined || params[parameter]?.required),
  );
  if (free === 'filters' && record) return { ...needed, ...filterExample(record) };
  if (free === 'fields' && record && isSaved(record))
    return { ...needed, ...(name === 'Update' ? updateExample(record) : saveExample(record)) };
  if (free === 'any' && operation.freeNames)
    return { ...needed, ...Object.fromEntries(operation.freeNames.map((each) => [each, 'Sample'])) };
  return needed;
}

/** Returns a value as the text of a query parameter or a form: lists comma-separated, objects as JSON. */
export function wireText(value: unknown): string {
  if (Array.isArray(value)) return value.join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function queryOf(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${encodeURIComponent(wireText(value)).replaceAll('%2C', ',')}`)
    .join('&');
}

/** Returns the text in single quotes for a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns an example call in three forms: a request, a command and a method signature. */
export function callExampleOf(operation: Operation): CallExample {
  const parameters = exampleParameters(operation);
  const inPath = new Set([...operation.route.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''));
  const route = operation.route.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(wireText(parameters[name] ?? 'Sample')),
  );
  const others = Object.fromEntries(Object.entries(parameters).filter(([name]) => !inPath.has(name)));
  const query = queryOf(others);
  const asQuery = operation.method === 'GET' || operation.body === 'raw';
  const path = `/api/${route}${asQuery && query !== '' ? `?${query}` : ''}`;
  const name = operation.record?.name ?? operation.module.charAt(0).toUpperCase() + operation.module.slice(1);
  const signatureRoute = route
    .replace(/^[^/]*/, name)
    .replace(new RegExp(`/${operation.name.toLowerCase()}$`), `/${operation.name}`);
  return {
    parameters,
    path,
    curl: curlOf(operation, path, others),
    signature: operation.body === 'raw' ? undefined : `${signatureRoute}${query === '' ? '' : `?${query}`}`,
  };
}

function curlOf(operation: Operation, path: string, body: Readonly<Record<string, unknown>>): string {
  const key = operation.access === 'anonymous' ? [] : ["-H 'X-ApiKey: YOUR-KEY'"];
  const plain = operation.form === undefined && operation.returns !== 'content' && operation.returns !== 'nothing';
  const address = `${EXAMPLE_SERVER}${path}${plain ? `${path.includes('?') ? '&' : '?'}Output=Json` : ''}`;
  if (operation.body === 'raw') return ['curl', ...key, '--data-binary @document', quoted(address)].join(' ');
  if (operation.method === 'GET') return ['curl', ...key, quoted(address)].join(' ');
  return [
    'curl',
    ...key,
    "-H 'Content-Type: application/json'",
    `-d ${quoted(JSON.stringify(body))}`,
    quoted(address),
  ].join(' ');
}
