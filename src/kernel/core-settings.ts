import { f } from './field.ts';
import { defineSetting } from './setting.ts';

/** Settings that the kernel itself reads. */
export const timeZone = defineSetting('TimeZone', f.text({ doc: 'The installation\'s time zone, an IANA name: times without a zone and schedules are read in it.', max: 60 }), 'America/New_York');
/** How deep operations may call one another. */
export const callDepthMax = defineSetting('CallDepthMax', f.integer({ doc: 'How deep operations may call one another before the call is refused.' }), 32);
/** The names of queues. */
export const queueNames = defineSetting('QueueNames', f.text({ doc: 'The queues that calls may be sent to, comma-separated; the first is the default.', max: 1000 }), 'Default, Import, Batch, Mail, Report');
/** Attempts of a queued call. */
export const queueAttemptsMax = defineSetting('QueueAttemptsMax', f.integer({ doc: 'How often a queued call is tried before it goes to the dead letters.' }), 5);
/** How long the history of changes is kept. */
export const historyMonths = defineSetting('HistoryMonths', f.integer({ doc: 'For how many whole months the history of changes is kept; 0 keeps all. What is past its time is deleted for good.' }), 0);
/** How long refusals, unmaskings and the like are kept. */
export const securityLogMonths = defineSetting('SecurityLogMonths', f.integer({ doc: 'For how many months entries of the security log are kept; 0 keeps all.' }), 0);
/** How long unforeseen failures are kept. */
export const errorLogMonths = defineSetting('ErrorLogMonths', f.integer({ doc: 'For how many months entries of the error log are kept; 0 keeps all.' }), 12);
/** All settings of the kernel. */
export const coreSettings = [timeZone, callDepthMax, queueNames, queueAttemptsMax, historyMonths, securityLogMonths, errorLogMonths] as const;
