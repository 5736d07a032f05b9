import { f } from '../../../kernel/declare/field.ts';
import { defineSetting } from '../../../kernel/declare/setting.ts';

export const geocoderCensusUrl = defineSetting(
  'GeocoderCensusUrl',
  f.text({
    doc: 'The root of a geocoder that speaks the public protocol of the census bureau, such as `https://geocoding.example/geocoder`; addresses are sent to it. Empty: nobody is asked.',
    max: 500,
  }),
  '',
);
export const geocoderCensusBenchmark = defineSetting(
  'GeocoderCensusBenchmark',
  f.text({ doc: 'Which of its sets of addresses that geocoder looks in.', max: 100 }),
  'Public_AR_Current',
);
export const geocoderTimeoutSeconds = defineSetting(
  'GeocoderTimeoutSeconds',
  f.integer({ doc: "How long a geocoder's answer is waited for, in seconds; at most 60." }),
  10,
);
export const normalizeRunSeconds = defineSetting(
  'NormalizeRunSeconds',
  f.integer({
    doc: 'After how many seconds a call of contact/normalize begins no more contacts and queues those that are left; at most 60. A worker that is stopped waits no longer than that.',
  }),
  15,
);
export const scraSource = defineSetting(
  'SCRASource',
  f.text({
    doc: 'The source that is asked for the military status of contacts, by its name; the first where it is empty.',
    max: 100,
  }),
  '',
);
export const scraAttemptsMax = defineSetting(
  'SCRAAttemptsMax',
  f.integer({
    doc: 'How often a source of military status that cannot answer is asked before the contact is told so, with growing waits between.',
  }),
  6,
);

export const settings = [
  geocoderCensusUrl,
  geocoderCensusBenchmark,
  geocoderTimeoutSeconds,
  normalizeRunSeconds,
  scraSource,
  scraAttemptsMax,
] as const;
