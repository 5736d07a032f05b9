-- down: the views that users have pinned, unpinned and arranged in their sidebars
alter table preference drop column pinnedviews;
