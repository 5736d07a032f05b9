-- down: the limits of mail servers per minute. Of a mail to several recipients each delivery keeps a copy of the content.
-- The views show the columns; the older version creates them again when it starts.
drop view if exists report.mailoutbound;
drop view if exists report.maildelivery;
drop index messagerecipient_waiting_idx;
drop table mailpace;
alter table mailoutbound drop column messagesperminute;
drop index maildelivery_internetmessageid_idx;
alter table maildelivery add column content text;
update maildelivery d set content = c.content from mailcontent c where c.mailcontentid = d.mailcontentid;
alter table maildelivery drop column mailcontentid, drop column slotdate;
drop table mailcontent;
