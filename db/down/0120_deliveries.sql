-- down: the records of MailHouse, DeliveryBatch, Delivery
drop trigger attachment_reach_deliveries on attachment;
drop function casewright_reach_document_deliveries();
drop table deliverynotice;
drop view if exists report.delivery;
drop table delivery;
drop function casewright_reach_delivery();
drop view if exists report.deliverybatch;
drop table deliverybatch;
drop view if exists report.mailhouse;
drop table mailhouse;
update role
set permissions = btrim(replace(' ' || (permissions collate "C") || ' ', ' -MailHouse* ', ' ')),
  updateddate = now(), version = version + 1
where strpos(' ' || (permissions collate "C") || ' ', ' -MailHouse* ') > 0;
