/** Working days and holidays of the installation. */
export { businessCalendar } from '../lib/business-calendar.ts';
