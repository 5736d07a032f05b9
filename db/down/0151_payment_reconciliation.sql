-- down: comparisons of payments with those of a gateway; differences that were cleared become resolved
alter table paymentdifference drop constraint paymentdifference_status_check;
update paymentdifference set status = 'Resolved' where status = 'Cleared';
alter table paymentdifference add constraint paymentdifference_status_check check (status in ('Open', 'Resolved'));
drop view if exists report.paymentreconciliation;
drop table paymentreconciliation;
