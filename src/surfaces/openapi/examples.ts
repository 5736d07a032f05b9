import type { Field } from '../../kernel/declare/field-types.ts';

/**
 * Invented values for fields whose names imply their content; no real person is named, and the number range was never
 * issued.
 */
const named: Readonly<Record<string, string>> = {
  firstname: 'Ana',
  middlename: 'M',
  lastname: 'Rivera',
  prefix: 'Ms.',
  suffix: 'Jr.',
  company: 'Sample Company',
  title: 'Paralegal',
  address: '1 Example Street',
  city: 'Sampletown',
  state: 'CA',
  postalcode: '00001',
  county: 'Sample County',
  country: 'US',
  email: 'ana.rivera@firm.example',
  website: 'https://firm.example',
  providercode: 'SAMPLE',
  password: 'a password of the sample',
  allowednetworks: '192.0.2.0/24',
  roles: 'Read Only',
  permissions: '*Select *Search',
  setting: 'TimeZone',
  value: 'America/Chicago',
  classname: 'Contact',
  query: 'select ContactID, Contact from Contact',
  statement: 'SampleStatement',
  appliesto: 'Contact',
  object: 'Loan',
  template: 'Foreclosure',
  operation: 'Foreclosure',
  status: 'Active',
};

/** Returns an example of a value that a caller may send for a field. `name` is the field's own. */
export function sentExample(name: string, field: Field): unknown {
  switch (field.kind) {
    case 'text':
      return exampleText(name, field);
    case 'integer':
    case 'id':
      return 1;
    case 'idList':
      return [1, 2];
    case 'textList':
      return ['A', 'B'];
    case 'decimal':
      return 1.5;
    case 'money':
      return 1250.5;
    case 'boolean':
      return true;
    case 'date':
      return '2026-01-15';
    case 'timestamp':
      return '2026-01-15T14:30:00Z';
    case 'xml':
      return '<Sample/>';
    case 'json':
      return { Sample: 1 };
    case 'ssn':
      return '900-00-0001';
  }
}

/** Returns an example of the same field in a response. */
export function answeredExample(name: string, field: Field): unknown {
  return field.kind === 'ssn' ? 'XXX-XX-0001' : sentExample(name, field);
}

function exampleText(name: string, field: Field): string {
  const lower = name.toLowerCase();
  const digits = lower.endsWith('ssn4') ? '0001' : undefined;
  const text = field.values?.[0] ?? named[lower] ?? digits ?? `Sample ${name}`;
  return field.max === undefined ? text : text.slice(0, field.max);
}
