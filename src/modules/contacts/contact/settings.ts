import { COUNTED_PER_HOUR } from '../../../kernel/declare/core-settings.ts';
import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';
import { addressFormat } from '../../../kernel/declare/setting-formats.ts';

export const geocoderCensusUrl = defineSetting(
  'GeocoderCensusUrl',
  f.text({
    doc:
      'The base address of a geocoder with the public protocol of the Census Bureau, such as ' +
      '`https://geocoding.example/geocoder`. Addresses are sent to it. Empty: disabled.',
    max: 500,
  }),
  '',
  { format: addressFormat },
);
export const geocoderCensusBenchmark = defineSetting(
  'GeocoderCensusBenchmark',
  f.text({ doc: 'The address set (benchmark) that the geocoder searches.', max: 100 }),
  'Public_AR_Current',
);
export const geocoderTimeoutSeconds = defineSetting(
  'GeocoderTimeoutSeconds',
  f.integer({ doc: "Seconds to wait for a geocoder's answer." }),
  10,
  { range: [1, 60] },
);
export const normalizeRunSeconds = defineSetting(
  'NormalizeRunSeconds',
  f.integer({
    doc:
      'Seconds after which a call of contact/normalize starts no more contacts and queues the rest. A stopping ' +
      'worker waits for it.',
  }),
  15,
  { range: [0, 60] },
);
export const scraSource = defineSetting(
  'SCRASource',
  f.text({
    doc: 'The name of the source queried for the military status of contacts. Empty: the first.',
    max: 100,
  }),
  '',
);
export const scraAttemptsMax = defineSetting(
  'SCRAAttemptsMax',
  f.integer({
    doc:
      'How often a military status source that cannot answer is queried, with growing waits, before the status ' +
      'of the contact becomes Error.',
  }),
  6,
  { range: [1, 1000] },
);

export const militaryChecksPerHour = defineSetting(
  'MilitaryChecksPerHour',
  f.integer({
    doc:
      'How many contacts each user without UnmaskSSN may have checked by contact/scrasearch per hour; ' +
      '0 allows none. The result tells whether a number is that of a service member of this name. Each call is ' +
      'written to the security log.',
  }),
  1_000,
  COUNTED_PER_HOUR,
);

export const settings = [
  geocoderCensusUrl,
  geocoderCensusBenchmark,
  geocoderTimeoutSeconds,
  normalizeRunSeconds,
  scraSource,
  militaryChecksPerHour,
  scraAttemptsMax,
] as const;
