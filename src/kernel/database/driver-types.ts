const isoOf = (text: string): string => {
  const plain = text.replace(' ', 'T').replace(/\+00(:00)?$/, '');
  const [head = plain, fraction = ''] = plain.split('.');
  return `${head}.${fraction.padEnd(3, '0').slice(0, 3)}Z`;
};

const asIs = (value: unknown): unknown => value;

/**
 * Type parsers. By default postgres.js returns bigint as text and dates as JavaScript dates, which lose microseconds.
 */
export const driverTypes = {
  bigint: { to: 20, from: [20], serialize: String, parse: Number },
  date: { to: 1082, from: [1082], serialize: asIs, parse: asIs },
  timestamp: { to: 1184, from: [1114, 1184], serialize: asIs, parse: isoOf },
  // Money columns have four decimals; trailing zeros are dropped.
  numeric: {
    to: 1700,
    from: [1700],
    serialize: asIs,
    parse: (text: string) => (text.includes('.') ? text.replace(/\.?0+$/, '') : text),
  },
  json: { to: 114, from: [114, 3802], serialize: asIs, parse: (text: string) => JSON.parse(text) as unknown },
};
